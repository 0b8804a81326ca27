// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

// The engines that stand in for the service: Google's emulator, and the one that Debian's Go packages have. Both hold
// their tables in memory, and neither is Bigtable; `engines/bigtable/README.md` says where they differ.

export type Emulator = {
  readonly name: string
  readonly host: string
  /** The largest timestamp that this one keeps. */
  readonly timestampMax?: number
  /** Empty where it was started by somebody else. */
  readonly processIds: readonly number[]
  close(): Promise<void>
}

/** What there is on this machine, and how each is started. */
export type EmulatorKind = {
  readonly name: string
  /** What is missing here; undefined when it can be started. */
  readonly missing: string | undefined
  start(): Promise<Emulator>
}

const OFFICIAL = [
  '/usr/lib/google-cloud-sdk/platform/bigtable-emulator/cbtemulator',
  '/usr/lib/google-cloud-sdk/bin/cbtemulator',
].find(existsSync)
const GO_SOURCES = '/usr/share/gocode/src/cloud.google.com/go/bigtable/bttest'
const HAS_GO = spawnSync('go', ['version']).status === 0 && existsSync(GO_SOURCES)
/** A test that hangs is ended long before; this is for one that dies and leaves its emulator behind. */
const LIFE_SECONDS = '1800'
/** The end of the year 9999 in milliseconds since 1970, counted as the encoding does. */
const DEBIAN_TIMESTAMP_MAX = 253_402_300_800_000 - 1_024 + 1_767_225_600_000_000

function kindOf(
  name: string,
  missing: string | undefined,
  run: () => ReturnType<typeof started>,
  limits: Pick<Emulator, 'timestampMax'> = {},
): EmulatorKind {
  return { name, missing, start: async () => ({ name, ...limits, ...(await run()) }) }
}

const OFFICIAL_EMULATOR = kindOf(
  "Google's emulator",
  OFFICIAL === undefined
    ? 'the package google-cloud-cli-bigtable-emulator is not installed'
    : undefined,
  () => started(OFFICIAL as string, ['-address', '127.0.0.1:0']),
)

const DEBIAN_EMULATOR = kindOf(
  "the emulator of Debian's Go packages",
  HAS_GO
    ? undefined
    : 'it is built with: apt-get install -y --no-install-recommends golang-go golang-google-cloud-dev',
  () => started(built(), []),
  { timestampMax: DEBIAN_TIMESTAMP_MAX },
)

export const EMULATORS: readonly EmulatorKind[] = [OFFICIAL_EMULATOR, DEBIAN_EMULATOR]

/** The one to use where one is enough: `BIGTABLE_EMULATOR_HOST`, else the first that there is. */
export function anyEmulator(): EmulatorKind {
  const host = process.env.BIGTABLE_EMULATOR_HOST
  if (host !== undefined) {
    const there = { host, processIds: [], close: async () => {} }
    return kindOf(`the emulator at ${host}`, undefined, async () => there)
  }
  return EMULATORS.find(({ missing }) => missing === undefined) ?? DEBIAN_EMULATOR
}

/**
 * Says what is missing on a user's machine; with CI=true it throws instead, because there it has to be installed.
 * Google's emulator is not in Debian's archive, so it may be missing there as well.
 */
export function skipReason(kind: EmulatorKind): string | false {
  const { name, missing } = kind
  if (missing === undefined) return false
  const text = `${name} is not there: ${missing}`
  if (process.env.CI === 'true' && kind !== OFFICIAL_EMULATOR) throw new Error(text)
  return text
}

/** The first line that it prints ends with its address. */
async function started(
  program: string,
  args: readonly string[],
): Promise<Pick<Emulator, 'host' | 'processIds' | 'close'>> {
  const child = spawn('timeout', [LIFE_SECONDS, program, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const kill = () => endGroup(child)
  process.once('exit', kill)
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  const [line] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => {
      throw new Error(`${program} ended before it listened`)
    }),
  ])) as [string]
  const host = line.trim().split(' ').at(-1) as string
  const close = async () => {
    process.removeListener('exit', kill)
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    endGroup(child)
    await ended
  }
  return { host, processIds: [child.pid as number], close }
}

/** `timeout` and what it runs. */
function endGroup({ pid }: ChildProcess): void {
  // It could not be started.
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Built once on a machine; Go's own cache makes the second time quick. */
function built(): string {
  const folder = join(tmpdir(), `percolite-bttest-${process.getuid?.() ?? 0}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const program = join(folder, 'bttest')
  const main = fileURLToPath(new URL('debian-emulator/main.go', import.meta.url))
  const ran = spawnSync('go', ['build', '-o', program, main], {
    env: {
      ...process.env,
      ...{ GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: join(folder, 'cache') },
    },
    encoding: 'utf8',
  })
  if (ran.status !== 0) throw new Error(`go build failed:\n${ran.stderr}`)
  return program
}
