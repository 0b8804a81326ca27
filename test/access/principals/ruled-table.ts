// SPDX-License-Identifier: Apache-2.0
import {
  type Chooser,
  comparedColumns,
  createIndexText,
  createTableText,
  type RandomColumn,
  type RandomTable,
  randomTable,
  type StoredColumn,
} from '../../differential/random/random-table.ts'
import { knownValue, value } from '../../differential/random/two-texts.ts'
import type { HeldClaims, Values } from './claims.ts'
import { conditionFor, type RandomGrant, type Right } from './rules.ts'
import { JSON_COLUMN, type JsonRow } from './statements.ts'

/** How exactly the answers about a table are those of a server with the rows of the first principal alone. */
export type Exactness = 'all' | 'key' | 'row'

/** What the role may do ON ALL TABLES of the full server. */
export type Everywhere = { rights: readonly Right[] }

/** What is in the column of JSON, as indexes and conditions have it. */
const PATH: RandomColumn = { name: `${JSON_COLUMN}->>'a'`, type: 'TEXT', notNull: false }

/** A random table as both servers define it, with what the role may do with it. */
export class RuledTable {
  readonly name: string
  /** What can be compared; a column `j` of JSON stands beside it. */
  table: RandomTable
  /** What made it as it is, in order. */
  ddl: string[]
  /** Of which no row may have certain values together, by a CHECK. */
  readonly checked: readonly RandomColumn[]
  /** Of the table itself. */
  granted: readonly RandomGrant[] = []
  exactness: Exactness = 'all'
  /** Whether the other server has it: without any right there is no such table. */
  isThere = true
  /** All rows of the full server, when they were last read. */
  rows: readonly JsonRow[] = []
  #names = 0
  readonly #everywhere: Everywhere

  constructor(choose: Chooser, name: string, everywhere: Everywhere) {
    this.name = name
    this.#everywhere = everywhere
    const made = randomTable(choose)
    const ofPath = { name: 'path', unique: false, parts: [{ column: PATH, descending: false }] }
    const indexes = [...made.indexes, { ...ofPath, storing: [] }].map((index) => {
      return { ...index, name: `${name}${index.name}` }
    })
    this.table = { ...made, name, indexes, terms: [...made.terms, PATH] }
    this.checked = choose.some(columnsTogether(made), 2)
    this.ddl = [
      createTableText(this.table),
      `ALTER TABLE ${name} ADD CONSTRAINT ${name}kept CHECK (${this.checked.map((column) => othersOf(choose, column)).join(' OR ')})`,
      `ALTER TABLE ${name} ADD COLUMN ${JSON_COLUMN} JSON`,
      ...indexes.map((index) => createIndexText(this.table, index)),
      `CREATE INDEX ${name}each ON ${name} (EACH ${JSON_COLUMN})`,
      `CREATE INDEX ${name}within ON ${name} (EACH ${JSON_COLUMN}->'a')`,
      `CREATE INDEX ${name}words ON ${name} (WORDS ${JSON_COLUMN}->>'a')`,
      `CREATE OBSERVER ${name}seen ON ${name} (${choose.oneOf(this.table.columns).name})`,
      `CREATE WEAK OBSERVER ${name}hint ON ${name} (${JSON_COLUMN})`,
    ]
  }

  /** What the role may do with it. */
  get grants(): readonly RandomGrant[] {
    const { rights } = this.#everywhere
    return rights.length === 0 ? this.granted : [...this.granted, { rights, rule: undefined }]
  }

  may(right: Right): boolean {
    return this.grants.some(({ rights }) => rights.includes(right))
  }

  /** The rows that the holder of the claims sees, or, where it reads none, may write. */
  conditionFor(claims: HeldClaims): string {
    const right = this.may('READ') ? 'READ' : 'WRITE'
    return conditionFor(this.grants, right, claims) ?? 'FALSE'
  }

  /** Values of a row that its holder sees and may write, by one of the rules. */
  shows(choose: Chooser, claims: HeldClaims): Values {
    const rules = this.grants.flatMap(({ rule }) => rule ?? [])
    return rules.length === 0 ? {} : choose.oneOf(rules).meets(claims)
  }

  /** Names of the columns that decide whether a row is seen or written. */
  get ruled(): ReadonlySet<string> {
    return new Set(this.grants.flatMap(({ rule }) => rule?.columns ?? []))
  }

  /** Whether what is read is what may be written. */
  isOneRule(claims: HeldClaims): boolean {
    return conditionFor(this.grants, 'READ', claims) === conditionFor(this.grants, 'WRITE', claims)
  }

  /** A definition that is added to it: the statement, and what to do when it was carried out. */
  change(choose: Chooser): { readonly sql: string; readonly done: () => void } {
    this.#names += 1
    const { table } = this
    switch (choose.below(4)) {
      case 0: {
        const name = `c9${this.#names}`
        const type = choose.oneOf(['INTEGER', 'TEXT', 'BOOLEAN'] as const)
        const column: RandomColumn = { name, type, notNull: false }
        const preset = value(choose, { ...column, notNull: true }).ours
        const sql = `ALTER TABLE ${this.name} ADD COLUMN ${name} ${type} DEFAULT ${preset}`
        return { sql, done: () => this.#withTerms(sql, [...table.terms, column]) }
      }
      case 1: {
        const { name } = choose.oneOf(table.columns)
        const sql = `ALTER TABLE ${this.name} DROP COLUMN ${name}`
        const terms = table.terms.filter((term) => term.name !== name)
        return { sql, done: () => this.#withTerms(sql, terms) }
      }
      case 2: {
        const [index] = choose.some(table.indexes, 1)
        if (index === undefined) return this.change(choose)
        const indexes = table.indexes.filter(({ name }) => name !== index.name)
        const sql = `DROP INDEX ${index.name}`
        return { sql, done: () => this.#become(sql, { indexes }) }
      }
      default: {
        const keyColumns = table.primaryKey.map(({ column }) => column)
        const parts = choose
          .some(table.terms, 1 + choose.below(2))
          .map((column) => ({ column, descending: choose.percent(30) }))
        const held = new Set<StoredColumn>([...parts.map(({ column }) => column), ...keyColumns])
        const free = table.columns.filter((column) => !held.has(column))
        const storing = choose.percent(40) ? choose.some(free, 1) : []
        const unique = choose.percent(20) && parts.every(({ column }) => column !== PATH)
        const index = { name: `${this.name}n${this.#names}`, unique, parts, storing }
        const sql = createIndexText(table, index)
        return { sql, done: () => this.#become(sql, { indexes: [...table.indexes, index] }) }
      }
    }
  }

  /** An index is gone that the rows did not allow. */
  without(failed: string): string {
    const sql = `DROP INDEX ${failed}`
    this.#become(sql, { indexes: this.table.indexes.filter(({ name }) => name !== failed) })
    return sql
  }

  #withTerms(sql: string, terms: readonly RandomColumn[]): void {
    this.#become(sql, { terms, columns: terms.filter((term) => term !== PATH) })
  }

  #become(sql: string, other: Partial<RandomTable>): void {
    this.ddl.push(sql)
    this.table = { ...this.table, ...other }
  }
}

/** Not one of some values that rows often have. */
function othersOf(choose: Chooser, { name, type }: RandomColumn): string {
  const count = type === 'BOOLEAN' ? 1 : 6
  const values = Array.from({ length: count }, () => knownValue(choose, type).ours)
  return `${name} NOT IN (${values.join(', ')})`
}

/** Columns besides the primary key that one CHECK may compare, which are those of one family. */
function columnsTogether(table: RandomTable): readonly RandomColumn[] {
  const inKey = new Set<StoredColumn>(table.primaryKey.map(({ column }) => column))
  const apart = new Set(table.families.flat())
  const others = comparedColumns(table).filter((column) => !inKey.has(column))
  const together = others.filter((column) => !apart.has(column))
  return together.length > 0 ? together : others
}
