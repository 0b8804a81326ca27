// SPDX-License-Identifier: Apache-2.0
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

const MARK = '-- end of block --'
const WAIT_MS = 30_000
const STOP_MS = 10_000

type Place = { readonly cwd?: string; readonly env?: Readonly<Record<string, string | undefined>> }

/** A terminal: one shell that runs blocks of commands, so that later ones know what earlier ones have set. */
export class CommandShell implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  #output = ''

  constructor(place: Place = {}) {
    // A group of its own, as in a terminal, with all that it starts.
    const options = { ...place, detached: true } as const
    this.#child = spawn('bash', [], { ...options, stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.#output += chunk
    })
  }

  /** Returns what they print on standard output. */
  async run(commands: string): Promise<string> {
    this.#child.stdin.write(`${commands}\necho '${MARK}'\n`)
    const signal = AbortSignal.timeout(WAIT_MS)
    while (!this.#output.includes(MARK)) await once(this.#child.stdout, 'data', { signal })
    const [printed = ''] = this.#output.split(MARK)
    this.#output = ''
    return printed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'close')
    const hurry = setTimeout(() => process.kill(-(this.#child.pid as number), 'SIGKILL'), STOP_MS)
    this.#child.stdin.end('kill -9 $(jobs -p) 2> /dev/null\n')
    await ended
    clearTimeout(hurry)
  }
}
