// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream'
import type { Flag } from '../server/flags.ts'

/** What every command ends with. */
export const EXIT = {
  done: 0,
  /** A statement failed, a check found problems, something was left undone. */
  failed: 1,
  misused: 2,
  /** No connection, no database, or one that others use. */
  unreachable: 3,
  /** A commit whose answer was lost, and of which nobody could tell. */
  unknownOutcome: 4,
  /** By Ctrl-C. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export type Flags = Readonly<Record<string, Flag>>

export type Environment = Readonly<Record<string, string | undefined>>

/** One command of `percolite`: what it is called with, what its help says, and what it does. */
export type Command = {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** What stands after its name, one line for each way to call it. */
  readonly usage: readonly string[]
  /** Lines of help between the usage and the flags. */
  readonly details: readonly string[]
  readonly flags: Flags
  /** What stands above the flag that is named, where there are many. */
  readonly headings?: Readonly<Record<string, string>>
  /** The flags that are also read from the environment, by the names that `environmentName` gives. */
  readonly fromEnvironment: readonly string[]
  /** How many words may stand behind the name. */
  readonly wordsMax: number
  /** Rejects with UsageError for a mistake in the call, and with what the command cannot do. */
  run(call: Call, streams: Streams): Promise<ExitCode | undefined>
}

export type Output = {
  write(text: string): unknown
  /** True of a terminal, which then has `columns` and `rows`. */
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

export type Input = Readable & { readonly isTTY?: boolean }

export type Streams = { readonly input: Input; readonly output: Output; readonly errors: Output }

/** What a command was called with: its flags are checked texts, by the command line or the environment. */
export class Call {
  readonly words: readonly string[]
  readonly environment: Environment
  /** The flags that were given on the command line, and not in the environment. */
  readonly onCommandLine: ReadonlySet<string>
  readonly #flags: Flags
  readonly #given: Readonly<Record<string, string>>
  readonly #repeated: Readonly<Record<string, readonly string[]>>

  constructor(
    flags: Flags,
    parts: Pick<Call, 'words' | 'environment' | 'onCommandLine'> & {
      readonly given: Readonly<Record<string, string>>
      readonly repeated: Readonly<Record<string, readonly string[]>>
    },
  ) {
    this.words = parts.words
    this.environment = parts.environment
    this.onCommandLine = parts.onCommandLine
    this.#flags = flags
    this.#given = parts.given
    this.#repeated = parts.repeated
  }

  /** The text of a flag that was given; undefined where it was not. */
  given(name: string): string | undefined {
    return this.#given[name]
  }

  /** The text of a flag, or its default. */
  text(name: string): string {
    return this.#given[name] ?? this.#flags[name]?.default ?? ''
  }

  /** Each text that a flag of the kind `list` was given on the command line, commas and all. */
  all(name: string): readonly string[] {
    return this.#repeated[name] ?? []
  }

  isOn(name: string): boolean {
    return this.text(name) === 'true'
  }

  /** Those of these flags that were given. */
  givenOf(names: readonly string[]): Readonly<Record<string, string>> {
    return Object.fromEntries(
      names.flatMap((name) => {
        const text = this.#given[name]
        return text === undefined ? [] : [[name, text] as const]
      }),
    )
  }
}
