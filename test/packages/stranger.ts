// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const START_MS = 60_000
const NPM_MS_MAX = 200_000
const run = promisify(execFile)

type Packages = Readonly<Record<string, Readonly<Record<string, unknown>>>>
type Tarball = { readonly file: string; readonly manifest: Readonly<Record<string, unknown>> }

/** Packs a workspace, or the root where none is named, into a folder. */
export async function packed(folder: string, workspace?: string): Promise<Tarball> {
  await mkdir(folder, { recursive: true })
  const which = workspace === undefined ? [] : ['--workspace', workspace]
  const before = new Set(await readdir(folder))
  await run('npm', ['pack', ...which, '--pack-destination', folder, '--loglevel=error'], {
    cwd: ROOT,
  })
  const [made] = (await readdir(folder)).filter((name) => !before.has(name))
  if (made === undefined) throw new Error('npm pack made nothing')
  const manifest = await jsonOf(join(ROOT, workspace ?? '.', 'package.json'))
  return { file: join(folder, made), manifest }
}

/** What the server’s package needs, in the versions that this repository is tested with. */
export async function serversPackages(): Promise<Packages> {
  const { packages } = await jsonOf(join(ROOT, 'package-lock.json'))
  const isNeeded = ([path, { dev, link }]: [string, Packages[string]]) =>
    path.startsWith('node_modules/') && dev !== true && link !== true
  return Object.fromEntries(Object.entries(packages as Packages).filter(isNeeded))
}

/** The packages of `locks/{name}.json`, which is a lock of npm. */
export async function lockedPackages(name: string): Promise<Packages> {
  const { packages } = await jsonOf(join(import.meta.dirname, 'locks', `${name}.json`))
  return packages as Packages
}

async function jsonOf(file: string): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse(await readFile(file, 'utf8'))
}

/** What somebody has who installs tarballs into an empty folder, and uses a Node.js of their own. */
export class Stranger {
  readonly folder: string
  readonly #node: string

  constructor(folder: string, node: string) {
    this.folder = folder
    this.#node = node
  }

  /**
   * Installs tarballs with the packages of a lock. What comes is what the lock says, whatever is new today, and npm
   * asks the registry only for what it has not in its cache: what `npm ci` of this repository has fetched is there.
   */
  async install(tarballs: readonly Tarball[], lock: Packages = {}, ...flags: readonly string[]) {
    await mkdir(this.folder, { recursive: true })
    const dependencies: Record<string, unknown> = { ...(lock['']?.dependencies as object) }
    const packages: Record<string, unknown> = { ...lock }
    for (const { file, manifest } of tarballs) {
      const { name, version, bin, dependencies: needed } = manifest
      const resolved = `file:${relative(this.folder, file)}`
      dependencies[String(name)] = resolved
      packages[`node_modules/${name}`] = { version, resolved, bin, dependencies: needed }
    }
    packages[''] = { dependencies }
    const project = { private: true, type: 'module', dependencies }
    await this.write('package.json', JSON.stringify(project))
    await this.write('package-lock.json', JSON.stringify({ lockfileVersion: 3, packages }))
    await this.npm('ci', ...flags, '--prefer-offline', '--no-audit', '--no-fund')
  }

  async npm(...args: readonly string[]): Promise<string> {
    const { cwd, env } = this.#options
    const options = { cwd, env: { ...npmSettings(), ...env }, timeout: NPM_MS_MAX }
    return (await run('npm', [...args, '--loglevel=error'], options)).stdout
  }

  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, name), text)
  }

  /** Runs `npx percolite …` to its end. */
  async percolite(...args: readonly string[]) {
    const child = this.#spawn(args)
    const [output, errors] = [textOf(child.stdout), textOf(child.stderr)]
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { code, output: output(), errors: errors() }
  }

  /** Starts `npx percolite …` and resolves when it says where it listens. */
  async serve(t: TestContext, ...args: readonly string[]) {
    const child = this.#spawn(args)
    t.after(() => child.kill('SIGKILL'))
    const [output, errors] = [textOf(child.stdout), textOf(child.stderr)]
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    const deadline = Date.now() + START_MS
    for (;;) {
      const url = /(?:listening on|brokerage at) (https?:\/\/[\d.:]+)/.exec(output())?.[1]
      if (url !== undefined) return { url, output, errors, stop: () => stop(child, ended) }
      const over = child.exitCode !== null || Date.now() > deadline
      if (over)
        throw new Error(`percolite ${args.join(' ')} did not start:\n${output()}${errors()}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  /** Runs a program of the folder, and resolves to what it prints. */
  async node(file: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const options = this.#options
    return (await run(this.#node, [file], { ...options, env: { ...options.env, ...env } })).stdout
  }

  /** What the compiler says of a program of the folder; empty where nothing is wrong. */
  async compiled(file: string): Promise<string> {
    const program = join(ROOT, 'node_modules', '@typescript', 'native', 'bin', 'tsc')
    const modules = ['--module', 'nodenext', '--target', 'es2024', '--allowImportingTsExtensions']
    const options = ['--noEmit', '--strict', '--ignoreConfig', '--types', '', ...modules]
    return await run(process.execPath, [program, ...options, file], { cwd: this.folder }).then(
      ({ stdout }) => stdout,
      (error) => String(error.stdout),
    )
  }

  /** The way that npm installs a program: a link in `.bin`, which the Node.js of the PATH runs. */
  #spawn(args: readonly string[]): ChildProcess {
    const program = join(this.folder, 'node_modules', '.bin', 'percolite')
    return spawn(program, args, { ...this.#options, stdio: ['ignore', 'pipe', 'pipe'] })
  }

  /** What a terminal has in which `percolite` is installed. */
  get terminal() {
    const { cwd, env } = this.#options
    const PATH = `${join(cwd, 'node_modules', '.bin')}:${env.PATH}`
    return { cwd, env: { ...env, PATH } }
  }

  get #options() {
    const { PATH = '' } = process.env
    // Only what a terminal has: no settings of the npm that runs this test, and no flags of its Node.js.
    const { HOME, LANG } = process.env
    const env = { PATH: `${dirname(this.#node)}:${PATH}`, HOME, LANG }
    return { cwd: this.folder, env }
  }
}

/** What tells npm which registry to ask, and whose certificates to trust; nothing of the script that runs this. */
export function npmSettings(): Readonly<Record<string, string | undefined>> {
  const isSetting =
    /^(npm_config_(registry|userconfig|globalconfig|cache|ca|cafile|\w*proxy)|(https?|no)_proxy|NODE_EXTRA_CA_CERTS)$/i
  const settings = Object.entries(process.env).filter(([name]) => isSetting.test(name))
  return Object.fromEntries(settings)
}

function textOf(stream: ChildProcess['stdout']): () => string {
  let text = ''
  stream?.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  return () => text
}

async function stop(child: ChildProcess, ended: Promise<number | null>): Promise<number | null> {
  child.kill('SIGINT')
  return await ended
}
