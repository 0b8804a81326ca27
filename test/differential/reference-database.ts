// SPDX-License-Identifier: Apache-2.0
import Database from 'better-sqlite3'
import { Decimal, type SqlType, type SqlValue } from '../../storage/values/values.ts'

/** Plain SQL on SQLite in memory: what the dialect's statements are compared with. */
export class ReferenceDatabase {
  readonly #database: Database.Database

  constructor() {
    this.#database = new Database(':memory:')
    this.#database.defaultSafeIntegers(true)
    this.#database.pragma('case_sensitive_like = ON')
  }

  run(text: string): number {
    return this.#database.prepare(text).run().changes
  }

  /** False when a constraint forbids it, and then nothing is changed. */
  try(work: () => void): boolean {
    try {
      work()
      return true
    } catch (error) {
      const { code = '' } = error as { code?: string }
      if (code.startsWith('SQLITE_CONSTRAINT')) return false
      throw error
    }
  }

  /** The rows as values of these types. */
  rows(text: string, types: readonly SqlType[]): SqlValue[][] {
    const rows = this.#database.prepare(text).raw().all() as unknown[][]
    return rows.map((row) =>
      row.map((value, position) => sqlValueOf(types[position] as SqlType, value)),
    )
  }

  count(text: string): number {
    return Number(this.rows(text, ['INTEGER'])[0]?.[0])
  }

  close(): void {
    this.#database.close()
  }
}

/** SQLite has no BOOLEAN, and a REAL without decimals may come as an integer. */
function sqlValueOf(type: SqlType, value: unknown): SqlValue {
  if (value === null) return null
  if (type === 'BOOLEAN') return value === 1n
  if (type === 'REAL') return Number(value) + 0
  if (type === 'DECIMAL') return new Decimal(value as bigint, 2)
  if (type === 'BYTES') return Uint8Array.from(value as Uint8Array)
  return value as SqlValue
}
