// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { terminalText } from '../../server/requests/answers/terminal-text.ts'
import { UsageError } from '../../server/usage-error.ts'
import { fileProblem } from '../file-problem.ts'
import { sourceBytes } from '../named-file.ts'

/** A file of statements, which is run once. */
export type MigrationFile = {
  /** Without its folder. */
  readonly name: string
  readonly path: string
  /** With line feeds alone at the ends of lines, so that it is the same on every system. */
  readonly text: string
}

/**
 * The files of a folder that end in `.sql`, in the order of the numbers that their names begin with, and then of their
 * names: 9 stands before 10. Throws UsageError, also where there is none.
 */
export function migrationFiles(folder: string, flag = '--folder'): readonly MigrationFile[] {
  const names = sqlNames(folder, flag)
  if (names.length === 0) {
    throw new UsageError(`${flag} ${folder}: no file in it ends in .sql. ${NEW_HINT}`)
  }
  return names.toSorted(byNumber).map((name) => {
    const path = join(folder, name)
    requirePrintable(name, `${flag} ${folder}`)
    return { name, path, text: textOf(path) }
  })
}

const NEW_HINT = 'percolite migrate new <name> makes one.'

function byNumber(one: string, other: string): number {
  const [first, second] = [numberOf(one), numberOf(other)]
  if (first !== second) return first < second ? -1 : 1
  return one < other ? -1 : 1
}

/** Names without a number stand behind all others. */
function numberOf(name: string): number {
  return Number(/^\d+/.exec(name)?.[0] ?? Number.POSITIVE_INFINITY)
}

/** A name is a key of a table and stands in terminals. Throws UsageError. */
function requirePrintable(name: string, place: string): void {
  const shown = terminalText(name)
  if (shown === name && !name.includes('\ufffd')) return
  throw new UsageError(
    `${place}: the name of the file "${shown}" is not UTF-8, or has characters that cannot be shown.`,
  )
}

/**
 * Makes a file for a new migration, whose name begins with the next number. Returns its path. Throws UsageError for
 * what is no name.
 */
export function newMigrationFile(folder: string, words: string): string {
  const name = words
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-')
  if (!/^[a-z0-9][a-z0-9-]{0,99}$/.test(name)) {
    throw new UsageError(`"${words.slice(0, 100)}" is no name: letters, digits and -, at most 100.`)
  }
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw fileProblem(`--folder ${folder}`, error)
  }
  const numbers = sqlNames(folder).map((file) => Number(/^\d{1,9}/.exec(file)?.[0] ?? 0))
  const number = String(Math.max(0, ...numbers) + 1).padStart(4, '0')
  const path = join(folder, `${number}-${name}.sql`)
  try {
    writeFileSync(path, `-- ${words.trim()}\n`, { flag: 'wx' })
  } catch (error) {
    throw fileProblem(path, error)
  }
  return path
}

/** The first characters of a file, by a hash that does not change while they do not. */
export function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Blanks, comments and semicolons are no statement. */
export function hasStatement(text: string): boolean {
  return text.replaceAll(/--[^\n\r]*|\/\*[\s\S]*?\*\/|[\s;]+/g, '') !== ''
}

function sqlNames(folder: string, flag = '--folder'): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.sql'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new UsageError(`${flag} ${folder}: there is no such folder. ${NEW_HINT}`)
    }
    throw fileProblem(`${flag} ${folder}`, error)
  }
}

function textOf(path: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(sourceBytes(path))
    return text.replaceAll('\r\n', '\n')
  } catch (error) {
    throw fileProblem(path, error)
  }
}
