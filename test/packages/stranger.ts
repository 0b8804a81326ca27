// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const START_MS = 60_000
const run = promisify(execFile)

/** Packs a workspace, or the root where none is named, into a folder; resolves to the tarball. */
export async function packed(folder: string, workspace?: string): Promise<string> {
  const which = workspace === undefined ? [] : ['--workspace', workspace]
  const before = new Set(await readdir(folder))
  await run('npm', ['pack', ...which, '--pack-destination', folder, '--loglevel=error'], {
    cwd: ROOT,
  })
  const [made] = (await readdir(folder)).filter((name) => !before.has(name))
  if (made === undefined) throw new Error('npm pack made nothing')
  return join(folder, made)
}

/** What somebody has who installs tarballs into an empty folder, and uses a Node.js of their own. */
export class Stranger {
  readonly folder: string
  readonly #node: string

  constructor(folder: string, node: string) {
    this.folder = folder
    this.#node = node
  }

  async install(...tarballs: readonly string[]): Promise<void> {
    await mkdir(this.folder, { recursive: true })
    await this.write('package.json', '{ "private": true, "type": "module" }\n')
    await this.npm('install', ...tarballs, '--prefer-offline', '--no-audit', '--no-fund')
  }

  async npm(...args: readonly string[]): Promise<string> {
    return (await run('npm', [...args, '--loglevel=error'], this.#options)).stdout
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

  get #options() {
    const { PATH = '' } = process.env
    // Only what a terminal has: no settings of the npm that runs this test, and no flags of its Node.js.
    const { HOME, LANG } = process.env
    const env = { PATH: `${dirname(this.#node)}:${PATH}`, HOME, LANG }
    return { cwd: this.folder, env }
  }
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
