// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Output } from '../command.ts'

/** Writes to the terminal, and from the text on that is longer than it is high, to the pager of the user. */
export class Pager {
  readonly #command: string | undefined
  readonly #output: Output
  #held = ''
  #child: ChildProcess | undefined
  #ended: Promise<unknown> | undefined

  constructor(command: string | undefined, output: Output) {
    this.#command = command
    this.#output = output
  }

  get isRunning(): boolean {
    return this.#child !== undefined
  }

  /** It was left before the end. */
  get isLeft(): boolean {
    return this.#child !== undefined && this.#child.exitCode !== null
  }

  write(text: string): void {
    if (this.#command === undefined) {
      this.#output.write(text)
      return
    }
    if (this.#child === undefined) this.#held += text
    else this.#child.stdin?.write(text)
    const rows = this.#output.rows || 24
    if (this.#child === undefined && linesOf(this.#held) >= rows) this.#start(this.#command)
  }

  /** Resolves when the pager has taken what was written. */
  async drained(): Promise<void> {
    const stdin = this.#child?.stdin
    if (!stdin?.writableNeedDrain) return
    await Promise.race([once(stdin, 'drain'), this.#ended])
  }

  /** Resolves when the user has left it. */
  async end(): Promise<void> {
    if (this.#child === undefined) this.#output.write(this.#held)
    this.#held = ''
    this.#child?.stdin?.end()
    await this.#ended
  }

  #start(command: string): void {
    const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'] })
    // It is closed by whoever has seen enough.
    child.stdin.on('error', () => {})
    this.#child = child
    this.#ended = once(child, 'exit').catch(() => undefined)
    child.stdin.write(this.#held)
    this.#held = ''
  }
}

function linesOf(text: string): number {
  return text.split('\n').length
}
