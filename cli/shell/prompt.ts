// SPDX-License-Identifier: Apache-2.0
import { createInterface, type Interface } from 'node:readline'
import type { Input, Output } from '../command.ts'
import { BACKSLASH_COMMANDS } from './commands/all-commands.ts'
import { completeCommand, completeStatement, type Hits } from './completion.ts'
import { editText } from './editor.ts'
import type { HistoryFile } from './history-file.ts'
import type { Shell } from './shell.ts'

/** Words that an empty line shows of what is missing. */
const EXPECTED_MAX = 12
const HISTORY_LINES = 1_000

/** Somebody at a terminal: lines with a history and completion, and what Ctrl-C means. */
export class Prompt {
  readonly #lines: Interface
  readonly #input: Input
  readonly #file: HistoryFile
  readonly #waiting: string[] = []
  readonly #closed: Promise<void>
  #shell: Shell | undefined
  /** The lines of the text that is being written, for the history. */
  #written: string[] = []
  /** As `readline` has it, the newest first. */
  #history: string[] = []
  #working: Promise<void> | undefined
  #isWarned = false

  constructor(input: Input, output: Output, file: HistoryFile) {
    this.#input = input
    this.#file = file
    this.#history = file.read()
    this.#lines = createInterface({
      input,
      output: output as unknown as NodeJS.WritableStream,
      terminal: true,
      history: this.#history,
      historySize: HISTORY_LINES,
      removeHistoryDuplicates: true,
      completer: (line: string, done: (error: null, hits: Hits) => void) => {
        void this.#complete(line).then((hits) => done(null, hits))
      },
    })
    this.#closed = new Promise((resolve) => this.#lines.once('close', resolve))
  }

  /** Resolves when it has been left, and all that was typed before has been run. */
  async run(shell: Shell): Promise<void> {
    this.#shell = shell
    const lines = this.#lines
    lines.on('history', (history: string[]) => {
      this.#history = history
      if (history[0]?.startsWith(' ')) history.shift()
    })
    lines.on('line', (line) => {
      this.#waiting.push(line)
      this.#working ??= this.#work(shell)
    })
    lines.on('SIGINT', () => this.#interrupt(shell))
    this.#show(shell)
    await this.#closed
    shell.stop()
    await this.#working
  }

  /** For `-- more --`; Ctrl-C is no, and so is q. */
  askForMore(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const leave = () => resolve(false)
    signal.addEventListener('abort', leave, { once: true })
    void this.#closed.then(leave)
    this.#lines.question('-- more -- ', { signal }, (answer) => {
      if (this.#history[0] === answer) this.#history.shift()
      resolve(!/^\s*q/i.test(answer))
    })
    return promise.finally(() => signal.removeEventListener('abort', leave))
  }

  /** What an editor made of a text. Throws where there is none. */
  edit(text: string, environment: Readonly<Record<string, string | undefined>>): string {
    const terminal = this.#input as { setRawMode?: (isRaw: boolean) => void }
    this.#lines.pause()
    terminal.setRawMode?.(false)
    try {
      return editText(text, environment)
    } finally {
      terminal.setRawMode?.(true)
      this.#lines.resume()
    }
  }

  async #work(shell: Shell): Promise<void> {
    for (let line = this.#waiting.shift(); line !== undefined; line = this.#waiting.shift()) {
      this.#isWarned = false
      await this.#take(shell, line)
      if (shell.isLeft) {
        this.#waiting.length = 0
        this.#lines.close()
      }
    }
    this.#working = undefined
    if (!shell.isLeft) this.#show(shell)
  }

  async #take(shell: Shell, line: string): Promise<void> {
    const read = await shell.reader.take(line)
    this.#written.push(line)
    if (read.kind === 'more') {
      if (read.expected !== undefined) shell.screen.say(expectedText(read.expected))
      if (!shell.reader.isPending) this.#written = []
      return
    }
    if (!this.#file.add(this.#written)) this.#forget(this.#written)
    this.#written = []
    await shell.execute(read)
  }

  /** Takes lines out of the history that are not to be kept. */
  #forget(lines: readonly string[]): void {
    for (const line of lines) {
      const at = this.#history.indexOf(line)
      if (at >= 0) this.#history.splice(at, 1)
    }
  }

  /** Ctrl-C: ends what runs; else drops what is being written; and twice with nothing written leaves. */
  #interrupt(shell: Shell): void {
    if (shell.stop()) return
    const isWritten = shell.reader.isPending || this.#lines.line !== ''
    if (!isWritten && this.#isWarned) {
      this.#lines.close()
      return
    }
    this.#isWarned = !isWritten
    shell.reader.drop()
    this.#written = []
    // It is what Node.js's own prompt does, and no part of the types: the line stays, and the next one is empty.
    ;(this.#lines as unknown as { clearLine(): void }).clearLine()
    if (!isWritten) shell.screen.say('Ctrl-C again leaves.\n')
    this.#show(shell)
  }

  #show(shell: Shell): void {
    this.#lines.setPrompt(promptText(shell))
    this.#lines.prompt()
  }

  async #complete(line: string): Promise<Hits> {
    const shell = this.#shell
    if (shell === undefined) return [[], line]
    const { db } = shell.session
    const { pending, isPending } = shell.reader
    if (!isPending && line.startsWith('\\'))
      return await completeCommand(db, BACKSLASH_COMMANDS, line)
    const before = isPending ? `${pending}\n${line}` : line
    return await completeStatement(db, before, this.#lines.line.slice(line.length))
  }
}

/** A star while a transaction is open, an exclamation mark when it was lost; dots while a text is not whole. */
function promptText({ session, reader }: Shell): string {
  const sign = { none: '', open: '*', lost: '!' }[session.state.kind]
  const text = `percolite${sign}> `
  return reader.isPending ? '...> '.padStart(text.length) : text
}

function expectedText(words: readonly string[]): string {
  if (words.length === 0)
    return 'A ; ends the statement; it is sent as it is by \\g, and Ctrl-C drops it.\n'
  const shown = words.slice(0, EXPECTED_MAX).join(', ')
  return `Expected: ${shown}${words.length > EXPECTED_MAX ? ' …' : ''}\n`
}
