// SPDX-License-Identifier: Apache-2.0
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { sourceBytes } from '../named-file.ts'

const LINES_MAX = 1_000
/** A longer file is not one that a shell has written. */
const BYTES_MAX = 4 * 1024 * 1024
/** For the owner alone. */
const MODE = 0o600

/** Texts that could hold a secret: of tokens, and tokens themselves. */
const SECRET = /token|pct_/i

/** Where the history is kept, by the environment of the user. */
export function historyPath(environment: Readonly<Record<string, string | undefined>>): string {
  const state = environment.XDG_STATE_HOME || join(environment.HOME || homedir(), '.local', 'state')
  return join(state, 'percolite', 'history')
}

/**
 * The lines that were typed before. What begins with a blank, and each text that names a token, is not kept. A file
 * that cannot be read or written is left alone: the shell works without.
 */
export class HistoryFile {
  readonly #path: string | undefined

  /** Without a path nothing is kept. */
  constructor(path: string | undefined) {
    this.#path = path
  }

  /** The newest first, as `readline` wants them. */
  read(): string[] {
    if (this.#path === undefined) return []
    try {
      const text = sourceBytes(this.#path).toString('utf8')
      if (text.length > BYTES_MAX) return []
      const lines = text.split('\n').filter((line) => line !== '')
      const kept = lines.slice(-LINES_MAX)
      if (lines.length > 2 * LINES_MAX) this.#replace(kept)
      return kept.toReversed()
    } catch {
      return []
    }
  }

  /** Keeps the lines of a text; false where they are not to be kept. */
  add(lines: readonly string[]): boolean {
    const kept = lines.filter((line) => line.trim() !== '')
    if (!isKept(kept)) return false
    if (this.#path === undefined || kept.length === 0) return true
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 })
      appendFileSync(this.#path, `${kept.join('\n')}\n`, { mode: MODE })
    } catch {
      // It is in memory.
    }
    return true
  }

  #replace(lines: readonly string[]): void {
    const path = `${this.#path}.new`
    writeFileSync(path, `${lines.join('\n')}\n`, { mode: MODE })
    renameSync(path, this.#path as string)
  }
}

function isKept(lines: readonly string[]): boolean {
  return !lines[0]?.startsWith(' ') && !SECRET.test(lines.join('\n'))
}
