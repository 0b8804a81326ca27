// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../server/usage-error.ts'

/** A file of statements, which is run once. */
export type MigrationFile = {
  /** Without its folder. */
  readonly name: string
  readonly path: string
  /** With line feeds alone at the ends of lines, so that it is the same on every system. */
  readonly text: string
}

/** The files of a folder that end in `.sql`, in the order of their names. Throws UsageError. */
export function migrationFiles(folder: string): readonly MigrationFile[] {
  return sqlNames(folder)
    .toSorted()
    .map((name) => {
      const path = join(folder, name)
      return { name, path, text: textOf(path) }
    })
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
    throw new UsageError(`--folder ${folder}: ${(error as Error).message}`)
  }
  const numbers = sqlNames(folder).map((file) => Number(/^\d{1,9}/.exec(file)?.[0] ?? 0))
  const number = String(Math.max(0, ...numbers) + 1).padStart(4, '0')
  const path = join(folder, `${number}-${name}.sql`)
  writeFileSync(path, `-- ${words.trim()}\n`, { flag: 'wx' })
  return path
}

/** The first characters of a file, by a hash that does not change while they do not. */
export function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function sqlNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.sql'))
  } catch (error) {
    throw new UsageError(`--folder ${folder}: ${(error as Error).message}`)
  }
}

function textOf(path: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
    return text.replaceAll('\r\n', '\n')
  } catch (error) {
    throw new UsageError(`${path}: ${(error as Error).message}`)
  }
}
