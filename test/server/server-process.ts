// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { startCommand, THIS_TREE } from '../../bench/servers/percolite-server.ts'

const START_MS = 180_000

/** `npm run test:sdk` runs this compiled, elsewhere, and on another Node.js than the server needs. */
const { SDK_TEST_SERVER_NODE = process.execPath, SDK_TEST_SERVER_TREE = THIS_TREE } = process.env

/** The real server as a process of its own, as `npm start` runs it, on a free loopback port. */
export class ServerProcess {
  readonly url: string
  readonly #child: ChildProcess
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>
  readonly #said: () => string

  private constructor(
    url: string,
    child: ChildProcess,
    { ended, said }: { readonly ended: Promise<number | null>; readonly said: () => string },
  ) {
    this.url = url
    this.#child = child
    this.ended = ended
    this.#said = said
  }

  /**
   * Without a folder, the flags say where the data is. With `preloaded`, a module that the server and its threads load
   * first, which reads `env`.
   */
  static async start(
    dataDirectory: string | undefined,
    flags: readonly string[] = [],
    more: { readonly preloaded?: string; readonly env?: Readonly<Record<string, string>> } = {},
  ): Promise<ServerProcess> {
    const folder = dataDirectory === undefined ? [] : ['--data', dataDirectory]
    const place = ['--host', '127.0.0.1', '--port', '0', ...folder]
    const { nodeFlags, main } = startCommand(SDK_TEST_SERVER_TREE)
    const preloading = more.preloaded === undefined ? [] : ['--import', more.preloaded]
    const args = [
      ...nodeFlags,
      ...preloading,
      main,
      'serve',
      ...place,
      '--log-format',
      'json',
      ...flags,
    ]
    const env = { ...process.env, ...more.env }
    const child = spawn(SDK_TEST_SERVER_NODE, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    let log = ''
    const url = await new Promise<string>((resolve, reject) => {
      const late = setTimeout(() => {
        child.kill('SIGKILL')
        reject(new Error(`the server did not start within ${START_MS} ms:\n${log}`))
      }, START_MS)
      const read = (chunk: string) => {
        if (log.length < 100_000) log += chunk
        const found = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(log)?.[1]
        if (found === undefined) return
        clearTimeout(late)
        resolve(found)
      }
      child.stdout?.setEncoding('utf8').on('data', read)
      child.stderr?.setEncoding('utf8').on('data', read)
      child.once('close', (code) => {
        clearTimeout(late)
        reject(new Error(`the server ended with ${code}:\n${log}`))
      })
    })
    return new ServerProcess(url, child, { ended, said: () => log })
  }

  /** As the power switch of a process: nothing in it runs any more. */
  async killNine(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended
  }

  /** Returns the exit code. */
  async stop(): Promise<number | null> {
    this.signal('SIGTERM')
    return await this.ended
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** The beginning of its log, and of whatever else it has written. */
  get said(): string {
    return this.#said()
  }

  /** Resident memory in MiB, or undefined where the system does not tell. */
  residentMiB(): number | undefined {
    return this.#memoryMiB('VmRSS')
  }

  /** The most that it ever was. */
  peakMiB(): number | undefined {
    return this.#memoryMiB('VmHWM')
  }

  #memoryMiB(name: 'VmRSS' | 'VmHWM'): number | undefined {
    const file = `/proc/${this.#child.pid}/status`
    if (!existsSync(file)) return undefined
    const status = readFileSync(file, 'utf8')
    const kiB = new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]
    return kiB === undefined ? undefined : Number(kiB) / 1024
  }
}
