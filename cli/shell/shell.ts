// SPDX-License-Identifier: Apache-2.0
import type { Database, Page, ResultColumn } from '../../client-sdk/client.ts'
import { scriptBytes } from '../named-file.ts'
import { BACKSLASH_COMMANDS } from './commands/all-commands.ts'
import type { ShellForCommands } from './commands/backslash-command.ts'
import { Screen, type ScreenDependencies } from './screen.ts'
import { FileFailed, mayBeScript, runScriptFile } from './script-file.ts'
import { Session } from './session.ts'
import { type Read, StatementReader } from './statement-reader.ts'

/** Files inside each other by `\i`. */
const FILES_MAX = 16

/** A statement or command was stopped by Ctrl-C. */
class Stopped extends Error {
  constructor() {
    super('Stopped. What was written by it may have been done, or not.')
  }
}

/** What a shell does with what it reads, whoever types it. */
export class Shell implements ShellForCommands {
  readonly session: Session
  readonly screen: Screen
  /** Of the lines that are read now: typed, or of a file. */
  reader: StatementReader
  readonly isInteractive: boolean
  readonly edit: ((text: string) => string) | undefined
  /** The text that was run last. */
  last = ''
  isLeft = false
  /** The text that was sent last, to which no answer may have come. */
  sent = ''
  readonly #continues: boolean
  #files = 0
  #running: AbortController | undefined

  constructor(deps: {
    readonly db: Database
    readonly screen: ScreenDependencies
    readonly isInteractive: boolean
    /** Whether a file or what is read goes on after an error. */
    readonly continues: boolean
    readonly edit?: (text: string) => string
  }) {
    this.session = new Session(deps.db)
    this.screen = new Screen(deps.screen)
    this.reader = new StatementReader(deps.db)
    this.isInteractive = deps.isInteractive
    this.#continues = deps.continues
    this.edit = deps.edit
  }

  get signal(): AbortSignal {
    this.#running ??= new AbortController()
    return this.#running.signal
  }

  /** Ends what is running; false where nothing is. */
  stop(): boolean {
    if (this.#running === undefined) return false
    this.#running.abort(new Stopped())
    return true
  }

  /** Runs what was read. Resolves to what went wrong, which has been shown, with its `place`; undefined for nothing. */
  async execute(read: Read, place = ''): Promise<unknown> {
    if (read.kind === 'more') return undefined
    try {
      if (read.kind === 'command') await this.#command(read.text)
      else await this.run(read.text)
      return undefined
    } catch (error) {
      this.screen.fail(error, read.kind === 'statement' ? read.text : '', place)
      return error
    } finally {
      this.#running = undefined
    }
  }

  /** Runs a text of statements and shows what it is answered. Rejects as `Session.run`. */
  async run(sql: string): Promise<void> {
    this.last = sql
    this.sent = sql
    await this.show(this.session.run(sql, this.signal))
  }

  async show(pages: AsyncIterable<Pick<Page, 'results' | 'hasMore'>>): Promise<void> {
    await this.screen.show(pages, this.signal)
  }

  /** Shows rows that are no statement's. */
  async showRows(names: readonly string[], rows: ReadonlyArray<readonly unknown[]>): Promise<void> {
    const columns = names.map((name, at): ResultColumn => ({ name, type: typeOf(rows, at) }))
    const named = rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])))
    const page = { results: [{ columns, rows: named, rowsAffected: 0 }], hasMore: false }
    await this.show(pagesOf([page]))
  }

  /**
   * Runs a file: as a script where it can be one, else line by line. Rejects with FileFailed for what went wrong in it,
   * and as reading a file does.
   */
  async runFile(path: string): Promise<void> {
    if (this.#files === FILES_MAX)
      throw new Error(`More than ${FILES_MAX} files inside each other.`)
    this.#files += 1
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(scriptBytes(path))
      const isScript = !this.#continues && mayBeScript(text, this.session)
      if (isScript && (await runScriptFile(this, path, text))) return
      const failed = await this.runLines(text.split(/\r?\n/), `${path}:`)
      if (failed !== undefined) throw new FileFailed(path, failed)
    } finally {
      this.#files -= 1
    }
  }

  /**
   * Runs the lines of a script. Resolves to the last error that it met, the first one unless errors do not end it. Each
   * was shown with the line on which its statement begins.
   */
  async runLines(lines: Iterable<string> | AsyncIterable<string>, name: string): Promise<unknown> {
    const reader = new StatementReader(this.session.db)
    const before = this.reader
    this.reader = reader
    let failed: unknown
    const run = async (read: Read) => {
      const line = read.kind === 'more' ? 0 : read.line
      const error = await this.execute(read, `${name}${line}: `)
      failed = error ?? failed
      return error === undefined || this.#continues
    }
    try {
      for await (const line of lines) {
        if (this.isLeft) return failed
        if (!(await run(await reader.take(line)))) return failed
      }
      await run(reader.takeAll())
      return failed
    } finally {
      this.reader = before
    }
  }

  async #command(text: string): Promise<void> {
    const [, name = '', rest = ''] = /^(\\\S+)\s*(.*)$/s.exec(text) ?? []
    const command = BACKSLASH_COMMANDS.find((each) => each.name === name)
    if (command === undefined)
      throw new Error(`There is no command ${text.slice(0, 40)}; \\? lists them.`)
    await command.run(this, rest.trim())
  }
}

function typeOf(rows: ReadonlyArray<readonly unknown[]>, at: number): ResultColumn['type'] {
  const values = rows.map((row) => row[at] ?? null).filter((value) => value !== null)
  const isNumbers = values.every((value) => typeof value === 'number' || typeof value === 'bigint')
  return isNumbers && values.length > 0 ? 'INTEGER' : 'TEXT'
}

async function* pagesOf<T>(pages: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* pages
}
