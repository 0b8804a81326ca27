// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sqliteVersion } from './sqlite-version.ts'

export type Machine = {
  readonly processor: string
  readonly cores: number
  readonly memoryMiB: number
  readonly system: string
  /** Of the last minute, when the run began: what else the machine was doing. */
  readonly load: number
  /** What the data lay on; absent where the system does not tell. */
  readonly disk?: Disk
}

export type Disk = {
  readonly fileSystem: string
  readonly device: string
  /** A memory file system: what is written there is not durable and costs no disk. */
  readonly inMemory: boolean
}

export async function describeMachine(dataFolder: string): Promise<Machine> {
  const disk = await diskOf(dataFolder)
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryMiB: Math.round(totalmem() / 1024 ** 2),
    system: `${platform()} ${release()} ${arch()}`,
    load: loadavg()[0] as number,
    ...(disk === undefined ? {} : { disk }),
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Versions of what the figures depend on, by name. */
export async function describeVersions(): Promise<Record<string, string>> {
  const manifest = JSON.parse(await readFile(`${root}package.json`, 'utf8')) as {
    readonly version: string
    readonly dependencies: Record<string, string>
  }
  const bench = JSON.parse(await readFile(`${root}bench/package.json`, 'utf8')) as {
    readonly dependencies: Record<string, string>
  }
  return {
    percolite: manifest.version,
    node: process.versions.node,
    v8: process.versions.v8,
    sqlite: sqliteVersion(),
    ...manifest.dependencies,
    ...bench.dependencies,
  }
}

export type SourceState = { readonly commit: string; readonly changed: boolean }

/** The commit that was measured, and whether files differ from it; undefined outside a repository. */
export async function describeSource(): Promise<SourceState | undefined> {
  const git = async (...words: string[]) =>
    (await promisify(execFile)('git', words, { cwd: root })).stdout.trim()
  try {
    const commit = await git('rev-parse', 'HEAD')
    return { commit, changed: (await git('status', '--porcelain')) !== '' }
  } catch {
    return undefined
  }
}

const MEMORY_FILE_SYSTEMS: ReadonlySet<string> = new Set(['tmpfs', 'ramfs'])

/** The mount that a folder lies on, by the longest matching mount point (Linux only). */
async function diskOf(folder: string): Promise<Disk | undefined> {
  let mounts: string
  try {
    mounts = await readFile('/proc/self/mounts', 'utf8')
  } catch {
    return undefined
  }
  const covering = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, point]) => point !== undefined && isInside(folder, point))
    // Of two mounts on one point the later one hides the earlier.
    .sort((left, right) => (left[1] as string).length - (right[1] as string).length)
  const [device, , fileSystem] = covering.at(-1) ?? []
  if (device === undefined || fileSystem === undefined) return undefined
  return { fileSystem, device, inMemory: MEMORY_FILE_SYSTEMS.has(fileSystem) }
}

function isInside(folder: string, point: string): boolean {
  return point === '/' || folder === point || folder.startsWith(`${point}/`)
}
