// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const TREE = fileURLToPath(new URL('../..', import.meta.url))
const START_MS = 30_000
const STOP_MS = 10_000

/** A command that goes on, such as `npm start`, until it is stopped as by Ctrl-C. */
export class StartedCommand implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  #isRunning = true
  #said = ''
  readonly #kill = () => this.#signal('SIGKILL')

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#ended = once(child, 'close').then(() => {
      this.#isRunning = false
    })
    process.once('exit', this.#kill)
  }

  /** Resolves when it has printed this; rejects when it ends before. */
  static async start(
    command: string,
    prints: string,
    env: Readonly<Record<string, string | undefined>> = {},
    cwd = TREE,
  ): Promise<StartedCommand> {
    // A group of its own, as in a terminal: npm, its shell and the program.
    const child = spawn('bash', ['-c', command], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const started = new StartedCommand(child)
    try {
      await new Promise<void>((resolve, reject) => {
        const fail = (why: string) => reject(new Error(`${command}\n${why}:\n${started.#said}`))
        const late = setTimeout(() => fail(`has not printed "${prints}"`), START_MS)
        child.once('close', () => fail('has ended'))
        const read = (chunk: string) => {
          if (started.#said.length < 100_000) started.#said += chunk
          if (!started.#said.includes(prints)) return
          clearTimeout(late)
          resolve()
        }
        child.stdout?.setEncoding('utf8').on('data', read)
        child.stderr?.setEncoding('utf8').on('data', read)
      })
    } catch (error) {
      await started[Symbol.asyncDispose]()
      throw error
    }
    return started
  }

  /** What it has printed. */
  get said(): string {
    return this.#said
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const hurry = setTimeout(this.#kill, STOP_MS)
    this.#signal('SIGINT')
    await this.#ended
    clearTimeout(hurry)
    process.off('exit', this.#kill)
  }

  #signal(name: NodeJS.Signals): void {
    // Once all of it has ended, its number may be that of somebody else.
    if (!this.#isRunning) return
    process.kill(-(this.#child.pid as number), name)
  }
}
