// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse, stringify } from 'yaml'

const run = promisify(execFile)
const CONFIG = fileURLToPath(new URL('../../deploy/litestream.yml', import.meta.url))

const INSTALLED =
  '../../node_modules/.cache/litestream/node_modules/@flydotio/litestream-linux-x64/litestream'

/** What `install.sh` got, or another one. */
function program(): string {
  return process.env.LITESTREAM_PROGRAM ?? fileURLToPath(new URL(INSTALLED, import.meta.url))
}

/** What is missing on this machine; false where Litestream can be started. With CI=true it throws instead. */
export function litestreamSkipReason(): string | false {
  if (existsSync(program())) return false
  const text = `${program()} is not there: run test/litestream/install.sh, or name one in LITESTREAM_PROGRAM`
  if (process.env.CI === 'true') throw new Error(text)
  return text
}

/** `litestream replicate` with the configuration of deploy/, in a process of its own. */
export class Litestream {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  #said = ''

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#ended = new Promise((resolve) => child.once('close', resolve))
    const read = (chunk: string) => {
      this.#said += chunk
    }
    child.stdout?.setEncoding('utf8').on('data', read)
    child.stderr?.setEncoding('utf8').on('data', read)
  }

  /** `more` is for the database, beside what the configuration has. */
  static async start(
    dataDirectory: string,
    replica: string,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<Litestream> {
    const config = parse(await readFile(CONFIG, 'utf8'))
    Object.assign(config.dbs[0], more)
    const file = `${dataDirectory}.litestream.yml`
    await writeFile(file, stringify(config))
    const env = {
      ...process.env,
      PERCOLITE_DATA: dataDirectory,
      LITESTREAM_REPLICA: replica,
      LITESTREAM_ACCESS_KEY_ID: 'none',
      LITESTREAM_SECRET_ACCESS_KEY: 'none',
    }
    const args = ['replicate', '-config', file]
    return new Litestream(spawn(program(), args, { env, stdio: ['ignore', 'pipe', 'pipe'] }))
  }

  /** All that it has written. */
  get said(): string {
    return this.#said
  }

  /** Resolves when it has written this: `snapshot written` when the replica has something to restore from. */
  async hasSaid(text: string): Promise<void> {
    while (!this.#said.includes(text)) {
      if (this.#child.exitCode !== null) throw new Error(`Litestream ended:\n${this.#said}`)
      await sleep(20)
    }
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  async killNine(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }
}

/** `litestream restore`, into a new file; up to a moment, if one is given. */
export async function restoreReplica(replica: string, file: string, moment?: Date): Promise<void> {
  const upTo = moment === undefined ? [] : ['-timestamp', moment.toISOString()]
  await run(program(), ['restore', ...upTo, '-o', file, replica])
}
