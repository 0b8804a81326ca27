// SPDX-License-Identifier: Apache-2.0
import { identityOf, type SubscriptionPlan } from '../../../../planner/planner.ts'
import { keyString } from '../../../../storage/storage.ts'
import {
  decodePrimaryKey,
  keyPositions,
  type SqlRow,
  type TableDefinition,
} from '../../../../storage/tables/tables.ts'
import type { SqlType, SqlValue } from '../../../../storage/values/values.ts'
import { RangeIndex } from './range-index.ts'
import type { RowImages } from './row-change.ts'
import type { SubscribedQuery } from './subscribed-query.ts'

/** A query with its plan for one definition of the table. */
export type PlannedQuery = { readonly query: SubscribedQuery; readonly plan: SubscriptionPlan }

type QueriesByValue = Map<SqlValue, Set<PlannedQuery>>

/**
 * The queries of one table, found by what a changed row is: by its key, by ranges of keys, by the values
 * that they want in a column, and last those that any row may concern.
 */
export class TableSubscriptions {
  readonly table: TableDefinition
  readonly #all = new Map<SubscribedQuery, PlannedQuery>()
  readonly #anyRow = new Set<PlannedQuery>()
  readonly #byKey: QueriesByValue = new Map()
  readonly #byColumn = new Map<number, QueriesByValue>()
  readonly #byRange = new RangeIndex<PlannedQuery>()
  /** Where the columns of the primary key stand in it, by their position in the table. */
  readonly #keyParts: ReadonlyMap<number, number>
  #reads: readonly number[] | undefined

  constructor(table: TableDefinition) {
    this.table = table
    this.#keyParts = new Map(keyPositions(table).map((position, part) => [position, part]))
  }

  get isEmpty(): boolean {
    return this.#all.size === 0
  }

  /** Places of the columns that all of the queries together look at. */
  get reads(): readonly number[] {
    this.#reads ??= [...new Set([...this.#all.values()].flatMap(({ plan }) => plan.tableReads))]
    return this.#reads
  }

  add(query: SubscribedQuery, plan: SubscriptionPlan): void {
    const planned = { query, plan }
    this.#all.set(query, planned)
    this.#reads = undefined
    const { route } = plan
    switch (route.kind) {
      case 'keys':
        for (const key of route.keys) addTo(this.#byKey, keyString(key), planned)
        break
      case 'equals': {
        const byValue = this.#byColumn.get(route.column) ?? new Map()
        this.#byColumn.set(route.column, byValue)
        for (const identity of route.identities) addTo(byValue, identity, planned)
        break
      }
      case 'ranges':
        this.#byRange.add(planned, route.ranges)
        break
      case 'all':
        this.#anyRow.add(planned)
    }
  }

  delete(query: SubscribedQuery): void {
    const planned = this.#all.get(query)
    if (planned === undefined) return
    this.#all.delete(query)
    this.#reads = undefined
    this.#anyRow.delete(planned)
    this.#byRange.delete(planned)
    const { route } = planned.plan
    if (route.kind === 'keys') {
      for (const key of route.keys) deleteFrom(this.#byKey, keyString(key), planned)
    }
    const byValue = route.kind === 'equals' ? this.#byColumn.get(route.column) : undefined
    if (route.kind !== 'equals' || byValue === undefined) return
    for (const identity of route.identities) deleteFrom(byValue, identity, planned)
    if (byValue.size === 0) this.#byColumn.delete(route.column)
  }

  /** Whether any query may care for the row of this key, as far as the key tells: then it is read. */
  mayConcern(key: Uint8Array): boolean {
    if (this.#anyRow.size > 0 || this.#byKey.has(keyString(key)) || this.#byRange.has(key))
      return true
    if (this.#byColumn.size === 0) return false
    let keyValues: readonly SqlValue[] | undefined
    for (const [column, byValue] of this.#byColumn) {
      const part = this.#keyParts.get(column)
      if (part === undefined) return true
      keyValues ??= decodePrimaryKey(this.table, key)
      if (byValue.has(identityOf(this.#typeOf(column), keyValues[part] ?? null))) return true
    }
    return false
  }

  /** The queries that may care for what became of the row. */
  concernedBy(key: Uint8Array, { before, after }: RowImages): ReadonlySet<PlannedQuery> {
    const found = new Set(this.#anyRow)
    addAll(found, this.#byKey.get(keyString(key)))
    this.#byRange.find(key, (planned) => found.add(planned))
    for (const [column, byValue] of this.#byColumn) {
      const type = this.#typeOf(column)
      const valueIn = (row: SqlRow) => byValue.get(identityOf(type, row[column] ?? null))
      if (before !== null) addAll(found, valueIn(before))
      if (after !== null) addAll(found, valueIn(after))
    }
    return found
  }

  #typeOf(column: number): SqlType {
    return (this.table.columns[column] as TableDefinition['columns'][number]).type
  }
}

function addTo(map: QueriesByValue, value: SqlValue, planned: PlannedQuery): void {
  const known = map.get(value)
  if (known === undefined) map.set(value, new Set([planned]))
  else known.add(planned)
}

function deleteFrom(map: QueriesByValue, value: SqlValue, planned: PlannedQuery): void {
  const known = map.get(value)
  known?.delete(planned)
  if (known?.size === 0) map.delete(value)
}

function addAll<T>(to: Set<T>, added: ReadonlySet<T> | undefined): void {
  if (added !== undefined) for (const one of added) to.add(one)
}
