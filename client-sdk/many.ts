// SPDX-License-Identifier: Apache-2.0
import { type Done, inBatches } from './batches.ts'
import type { Database } from './database.ts'
import { type Key, pathPart } from './key-path.ts'
import type { Texts } from './requests/statement-types.ts'
import type { Statement } from './requests/statements.ts'
import { quotedName } from './requests/table.ts'
import type { Inserted, KeyOf, OptionalOf, Tables, UnknownName } from './requests/table-types.ts'
import { encodeParameters, type Parameter } from './values.ts'
import type { Schemas } from './wire.ts'

// The door of `@percolite/client/many`.

export type ManyOptions = {
  /** Refuses, by `limit_exceeded` and with nothing written, what is more than one transaction. */
  readonly oneTransaction?: boolean
  readonly signal?: AbortSignal
  /** How long each transaction may take, in milliseconds. */
  readonly timeoutMs?: number
}

export type WriteManyOptions = Omit<ManyOptions, 'timeoutMs'> & {
  /** Lets the same rows be sent again after a lost answer: each batch is written once. */
  readonly idempotencyKey?: string
}

export type ManyResult = Done

type Named<Known, Name> = Name & (UnknownName<Known> | keyof Known)

type NewRow<Known extends Tables<Known>, Name> = Name extends keyof Known
  ? Inserted<Known[Name]['row'], OptionalOf<Known[Name]>>
  : Readonly<Record<string, Parameter>>

type RowKey<Known extends Tables<Known>, Name> = Name extends keyof Known ? KeyOf<Known[Name]> : Key

type Many<T> = Iterable<T> | AsyncIterable<T>

/** Those of one request at most: `postedRowsMax` and `statementKeysMax`, and `statementsMax`. */
const [ROWS_MAX, STATEMENTS_MAX] = [10_000, 1_000]
/** As UTF-8 that is less than `bodyBytesMax`. */
const CHARACTERS_MAX = 5 * 1024 * 1024

/**
 * Inserts rows, all or none where `transactions` of the result is 1: 10,000 rows and 5 MiB at a time, fewer where the
 * server takes no more. Throws `already_exists`; what was committed before an error is `error.fields.done`.
 */
export function insertMany<
  Known extends Tables<Known>,
  Said extends Texts<Said>,
  Name extends string,
>(
  db: Database<Known, Said>,
  table: Named<Known, Name>,
  rows: Many<NewRow<Known, Name>>,
  options?: WriteManyOptions,
): Promise<ManyResult> {
  return write(db, `${tablePath(table)}/rows?mode=insert`, rows, options)
}

/** The same, and a row takes the place of the one with its key: columns that are left out take their defaults. */
export function putMany<Known extends Tables<Known>, Said extends Texts<Said>, Name extends string>(
  db: Database<Known, Said>,
  table: Named<Known, Name>,
  rows: Many<NewRow<Known, Name>>,
  options?: WriteManyOptions,
): Promise<ManyResult> {
  return write(db, `${tablePath(table)}/rows?mode=put`, rows, options)
}

/**
 * Deletes the rows of these keys, of which some may have none: 10,000 at a time, and 1,000 by a key of several columns.
 * `rowsAffected` of the result says how many there were.
 */
export async function deleteMany<
  Known extends Tables<Known>,
  Said extends Texts<Said>,
  Name extends string,
>(
  db: Database<Known, Said>,
  table: Named<Known, Name>,
  keys: Many<RowKey<Known, Name>>,
  { oneTransaction, ...options }: ManyOptions = {},
): Promise<ManyResult> {
  const { signal } = options
  const path = tablePath(table)
  const found = await db.request<Schemas['Table']>('GET', path, undefined, signal && { signal })
  const columns = found.primaryKey.map(({ column }) => quotedName(column))
  const [only] = columns
  const from = `DELETE FROM ${quotedName(table)} WHERE`
  const each = columns.map((column, at) => `${column} = $${at + 1}`).join(' AND ')
  const statementsOf = (batch: readonly unknown[]): Statement[] =>
    columns.length === 1
      ? [{ sql: `${from} ${only} IN :keys`, params: { keys: batch.flat() } }]
      : batch.map((key) => ({ sql: `${from} ${each}`, params: key as readonly Parameter[] }))
  const rowsMax = columns.length === 1 ? ROWS_MAX : STATEMENTS_MAX
  return await inBatches<unknown>(keys, { rowsMax, oneTransaction }, async (batch) => {
    return (await db.execute(statementsOf(batch), options)).rowsAffected
  })
}

function write<Known extends Tables<Known>, Said extends Texts<Said>>(
  db: Database<Known, Said>,
  path: string,
  rows: Many<object>,
  { oneTransaction, idempotencyKey, signal }: WriteManyOptions = {},
): Promise<ManyResult> {
  const limits = { rowsMax: ROWS_MAX, charactersMax: CHARACTERS_MAX, oneTransaction }
  const charactersOf = (text: string) => text.length
  return inBatches(textsOf(rows), { ...limits, charactersOf }, async (batch, first) => {
    const body = new TextEncoder().encode(`[${batch.join(',')}]`)
    const headers = {
      prefer: 'return=minimal',
      ...(idempotencyKey && { 'idempotency-key': `${idempotencyKey}-${first}-${batch.length}` }),
    }
    const answer = await db.open('POST', path, body, { headers, ...(signal && { signal }) })
    return ((await answer.json()) as Schemas['WrittenCounts']).rowsAffected
  })
}

async function* textsOf(rows: Many<object>): AsyncGenerator<string> {
  for await (const row of rows)
    yield JSON.stringify(encodeParameters(row as Record<string, Parameter>))
}

function tablePath(table: string): string {
  return `/v1/tables/${pathPart(table, 'name of a table')}`
}
