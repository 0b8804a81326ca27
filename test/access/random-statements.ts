// SPDX-License-Identifier: Apache-2.0
import type { SeededRandomness } from '../seeded-randomness.ts'

/** `keyed` has a rule by key, `filtered` one by row; both have the same columns. */
export const TABLES = [
  'CREATE TABLE keyed (owner TEXT, id INTEGER, a INTEGER, t TEXT, PRIMARY KEY (owner, id))',
  'CREATE INDEX keyedA ON keyed (a)',
  'CREATE UNIQUE INDEX keyedT ON keyed (owner, t)',
  'CREATE TABLE filtered (id INTEGER PRIMARY KEY, owner TEXT, a INTEGER, t TEXT)',
  'CREATE INDEX filteredA ON filtered (a) STORING (t)',
  'CREATE INDEX filteredOwner ON filtered (owner, a)',
] as const
export const GRANTS = [
  'CREATE ROLE member',
  'GRANT READ, WRITE ON keyed TO member WHERE owner = token.sub',
  "GRANT READ, WRITE ON filtered TO member WHERE owner = token.sub AND t <> 'gone'",
] as const

type Table = 'keyed' | 'filtered'
const IDS = 6

/** Statements of all kinds on both tables, by chance. */
export class RandomStatements {
  readonly #random: SeededRandomness

  constructor(random: SeededRandomness) {
    this.#random = random
  }

  table(): Table {
    return this.#pick(['keyed', 'filtered'])
  }

  /** A condition that may fail of a row. */
  #condition(): string {
    const n = this.#random.below(8)
    return this.#pick([
      `a >= ${n}`,
      `a < ${n}`,
      `a = ${n}`,
      `10 / a > ${n - 4}`,
      `10 % a = ${n - 4}`,
      `a * 9000000000000000 > ${n}`,
      `t LIKE '${this.#pick(['%', 'a%', '%b', '_'])}'`,
      `t = '${this.text()}'`,
      `id IN (${n}, ${n - 1}, ${n + 1})`,
      `owner = '${this.owner()}'`,
      `a IS NULL`,
      `length(t) > ${n - 3}`,
      `CASE WHEN a > ${n} THEN 10 / a ELSE a END > ${n - 4}`,
      `CASE t WHEN '${this.text()}' THEN owner END = '${this.owner()}'`,
      `t::INTEGER > ${n}`,
      `substr(t, 1, a - 3) = 'a'`,
      `json_set('{}', '{a}', a) @> '{"a":${n}}'`,
    ])
  }

  where(): string {
    const parts = Array.from({ length: 1 + this.#random.below(3) }, () => this.#condition())
    return `WHERE ${parts.join(this.#pick([' AND ', ' AND ', ' OR ']))}`
  }

  keyOf(table: Table): string {
    const id = this.#random.below(IDS)
    return table === 'keyed' ? `owner = '${this.owner()}' AND id = ${id}` : `id = ${id}`
  }

  reading(table: Table): string {
    const hint = this.#pick(['USE PRIMARY KEY', `USE INDEX ${table}A`, ''])
    const where = this.#pick([this.where(), this.where(), ''])
    const columns = this.#pick(['*', 'id, a', 'id, 10 / a AS q', 't', 'a, t || t AS tt'])
    const order = this.#pick(['', '', 'ORDER BY id', 'ORDER BY a'])
    return this.#pick([
      `GET ${columns} FROM ${table} WHERE ${this.keyOf(table)}`,
      `SCAN ${columns} FROM ${table} ${hint} ${where} ${order} ${this.#pick(['', 'LIMIT 2'])}`,
      `SCAN ${columns} FROM ${table} ${hint} ${where}`,
      `SCAN COUNT(*) AS n, SUM(10 / a) AS s FROM ${table} ${hint} ${where}`,
      `SCAN ${this.#pick(['MIN', 'MAX'])}(a) AS m FROM ${table} USE INDEX ${table}A`,
      `SCAN a, COUNT(*) AS n FROM ${table} USE INDEX ${table}A ${where} GROUP BY a`,
      ...this.#sorting(table, `${hint} ${where}`),
    ])
  }

  /** What is sorted or held in memory. */
  #sorting(table: Table, from: string): readonly string[] {
    const n = this.#random.below(4)
    const order = this.#pick(['a', 'a DESC, id', 'length(t)', '10 / a', 't DESC'])
    return [
      `SCAN * FROM ${table} ${from} ORDER BY ${order} LIMIT ${n}`,
      `SCAN t, COUNT(*) AS n FROM ${table} ${from} GROUP BY t HAVING COUNT(*) > ${n}`,
      `SCAN a % 3 AS m, SUM(10 / a) AS s FROM ${table} ${from} GROUP BY m ORDER BY s LIMIT ${n}`,
      `SCAN DISTINCT t FROM ${table} ${from}`,
      `SCAN COUNT(DISTINCT t) AS d, COUNT(*) FILTER (WHERE 10 / a > ${n}) AS n FROM ${table} ${from}`,
    ]
  }

  /** Of rows of this owner, or of any. */
  writing(table: Table, own: string): string {
    const a = this.#pick(['NULL', String(this.#random.below(8))])
    const t = this.text()
    const owner = this.#random.below(6) === 0 ? this.owner() : own
    const id = this.#random.below(IDS)
    const key = table === 'keyed' ? `owner = '${owner}' AND id = ${id}` : `id = ${id}`
    const extra = table === 'filtered' ? this.#pick(['', `owner = '${owner}', `]) : ''
    return this.#pick([
      `INSERT INTO ${table} (owner, id, a, t) VALUES ('${owner}', ${id}, ${a}, '${t}') ${this.#pick(['', 'ON CONFLICT DO NOTHING', 'RETURNING *'])}`,
      `SET ${extra}a = ${a}, t = '${t}' ON ${table} WHERE ${key}`,
      `SET a = a + 1 ON ${table} WHERE ${key} ${this.#pick(['', 'RETURNING a'])}`,
      `SET a = ${a} ON ${table} WHERE ${key} IF ${this.#pick(['a > 2', 'EXISTS', 'NOT EXISTS', '10 / a > 1'])}`,
      `SET ${extra}a = ${a} ON ${table} ${this.#pick(['USE PRIMARY KEY', `USE INDEX ${table}A`])} ${this.where()}`,
      `SET a = a + 1, t = t || 'b' ON ${table} USE PRIMARY KEY ${this.where()} LIMIT 2`,
      `INSERT INTO ${table} (owner, id, a, t) VALUES ('${owner}', ${id}, ${a}, '${t}') ON CONFLICT ${this.#pick(['', '(owner, id)', '(id)', '(owner, t)'])} DO UPDATE SET a = ${this.#pick(['excluded.a', 'a + 1', '10 / a'])} ${this.#pick(['', 'IF a > excluded.a', 'RETURNING a'])}`,
      `DELETE FROM ${table} WHERE ${key}`,
      `DELETE FROM ${table} USE PRIMARY KEY ${this.where()} LIMIT 1`,
      `CHECK a >= 0 ON ${table} WHERE ${key}`,
      `GET * FROM ${table} WHERE ${key} FOR UPDATE`,
    ])
  }

  owner(): 'ann' | 'bob' {
    return this.#pick(['ann', 'bob'])
  }

  text(): string {
    return this.#pick(['a', 'b', 'ab', 'gone', ''])
  }

  chance(oneIn: number): boolean {
    return this.#random.below(oneIn) === 0
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#random.below(choices.length)] as T
  }
}
