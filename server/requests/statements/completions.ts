// SPDX-License-Identifier: Apache-2.0
import { type PlaceInText, shownName } from '../../../parser/parser.ts'
import { FUNCTION_NAMES } from '../../../planner/planner.ts'
import {
  type Catalog,
  type KeyPart,
  partName,
  type TableDefinition,
} from '../../../storage/tables/tables.ts'
import { ALL_LIMITS } from '../../limits.ts'

/** `CompletionItem` of `openapi.yaml`. */
type CompletionItem = {
  readonly text: string
  readonly kind: Kind
  readonly detail?: string
}

type Kind = PlaceInText['wanted'][number]['kind']

/** One that is not made before its name is known to fit. */
type Candidate = {
  readonly kind: Kind
  readonly name: string
  readonly text: () => string
  readonly detail?: () => string
}

const AGGREGATE_NAMES = ['COUNT', 'SUM', 'MIN', 'MAX', 'AVG']

/**
 * What begins with the letters that have been typed, names before words, and whether there is more than is shown. Only
 * the tables of the catalog are looked at, so it has to be the view of the client that asks.
 */
export function completionsOf(
  place: PlaceInText,
  catalog: Catalog,
): { readonly items: readonly CompletionItem[]; readonly more: boolean } {
  const typed = place.typed.toLowerCase()
  const items = new Map<string, CompletionItem>()
  for (const { kind, name, text, detail } of candidatesFor(place, catalog)) {
    if (!name.toLowerCase().startsWith(typed)) continue
    const item = { text: text(), kind, ...(detail === undefined ? {} : { detail: detail() }) }
    if (items.has(item.text)) continue
    if (items.size === ALL_LIMITS.completionItemsMax)
      return { items: [...items.values()], more: true }
    items.set(item.text, item)
  }
  return { items: [...items.values()], more: false }
}

function* candidatesFor(place: PlaceInText, catalog: Catalog): Generator<Candidate> {
  for (const { kind } of place.wanted) {
    if (kind === 'table') yield* tables(catalog)
    else if (kind === 'column') yield* columns(place, catalog)
    else if (kind === 'index') yield* indexes(place, catalog)
    else if (kind === 'observer') yield* observers(catalog)
    else if (kind === 'schedule') yield* schedules(catalog)
  }
  // Nothing but a name stands in quotes.
  if (place.isQuoted) return
  for (const wanted of place.wanted) {
    if (wanted.kind === 'function') yield* functions()
    else if ('text' in wanted)
      yield { kind: wanted.kind, name: wanted.text, text: () => wanted.text }
  }
}

function named(kind: Kind, name: string, detail: () => string): Candidate {
  return { kind, name, text: () => shownName(name), detail }
}

function* tables(catalog: Catalog): Generator<Candidate> {
  for (const table of catalog.tables()) {
    yield named('table', table.name, () => `PRIMARY KEY ${keyText(table, table.primaryKey)}`)
  }
}

function* columns(place: PlaceInText, catalog: Catalog): Generator<Candidate> {
  for (const table of qualifiedTables(place, catalog)) {
    for (const { name, type } of table.columns) {
      yield named('column', name, () => `${type}, ${table.name}`)
    }
  }
  if (place.qualifier === undefined) yield* qualifiers(place)
}

/** Behind `o.` the table that `o` means, which without a FROM is its name. */
function qualifiedTables(place: PlaceInText, catalog: Catalog): readonly TableDefinition[] {
  const { qualifier, qualifiers } = place
  if (qualifier === undefined) return tablesFor(place, catalog)
  return [catalog.table(qualifiers.get(qualifier) ?? qualifier) ?? []].flat()
}

/** Where there is but one row by the name of its table, nothing is to be told apart. */
function* qualifiers({ qualifiers, isQuoted }: PlaceInText): Generator<Candidate> {
  const isPlain = qualifiers.size === 1 && [...qualifiers].every(([name, table]) => name === table)
  if (isPlain || isQuoted) return
  for (const [name, table] of qualifiers) {
    yield { kind: 'table', name, text: () => `${shownName(name)}.`, detail: () => table }
  }
}

function* indexes(place: PlaceInText, catalog: Catalog): Generator<Candidate> {
  for (const table of tablesFor(place, catalog)) {
    for (const { name, parts } of table.indexes) {
      yield named('index', name, () => `${table.name} ${keyText(table, parts)}`)
    }
  }
}

function* observers(catalog: Catalog): Generator<Candidate> {
  for (const { table, observer } of catalog.observers()) {
    yield named('observer', observer.name, () => `on ${table.name}`)
  }
}

function* schedules(catalog: Catalog): Generator<Candidate> {
  for (const { schedule, observer } of catalog.schedules()) {
    yield named('schedule', schedule.name, () => `of ${observer.name}`)
  }
}

function* functions(): Generator<Candidate> {
  yield { kind: 'function', name: 'CAST', text: () => 'CAST(', detail: () => 'value AS type' }
  for (const name of FUNCTION_NAMES) yield { kind: 'function', name, text: () => `${name}(` }
  for (const name of AGGREGATE_NAMES) {
    yield { kind: 'function', name, text: () => `${name}(`, detail: () => 'of a group of rows' }
  }
}

/** Those that the statement names, or all while it names none. */
function tablesFor({ tables: names }: PlaceInText, catalog: Catalog): readonly TableDefinition[] {
  const found = names.flatMap((name) => catalog.table(name) ?? [])
  return found.length === 0 ? catalog.tables() : found
}

function keyText(table: TableDefinition, parts: readonly KeyPart[]): string {
  const names = parts.map((part) => `${partName(table, part)}${part.descending ? ' DESC' : ''}`)
  return `(${names.join(', ')})`
}
