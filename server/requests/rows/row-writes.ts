// SPDX-License-Identifier: Apache-2.0
import { type IntegerForm, PlanError, type StatementResult } from '../../../planner/planner.ts'
import type { TableDefinition } from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { ServerError } from '../../errors/server-error.ts'
import type { Turns } from '../../guard/budgets/turns.ts'
import type { AnswerBody } from '../answers/answer-body.ts'
import type { AnswerWriter } from '../answers/answer-text.ts'
import { keyToJson } from '../answers/row-address.ts'
import { bodyInTurns } from '../answers/text-pieces.ts'
import { keptColumns, withFormerNumber } from './kept-number.ts'
import { writeKeyPath } from './key-path.ts'
import type { RowConditions } from './row-conditions.ts'
import { deleteRow, getRow, insertRows, keyNames, patchRow } from './row-statements.ts'
import type { RowTransaction, WrittenAnswer } from './row-transactions.ts'
import { keyParameters, type RowObject, readRow, unknownColumn, withoutKey } from './row-values.ts'
import { representationOf, tagOf } from './row-version.ts'

/** One row by its key, inside one transaction. */
export type RowTarget = {
  readonly rows: RowTransaction
  readonly table: TableDefinition
  readonly key: readonly SqlValue[]
}

/** How rows are answered. */
export type RowForm = {
  readonly writer: AnswerWriter
  readonly integers: IntegerForm
  /** Whether the names and types of the columns come with the row. */
  readonly isDescribed: boolean
  /** Whether new rows are answered by how many they are. */
  readonly isMinimal: boolean
  /** A long row is written over several. */
  readonly turns: Turns
}

/** Makes the row, or takes the place of the one that is there: columns not given have defaults. */
export async function replaceRow(
  target: RowTarget,
  object: RowObject,
  conditions: RowConditions,
  form: RowForm,
): Promise<WrittenAnswer> {
  const { rows, table, key } = target
  const row = readRow(table, withoutKey(table, object, key))
  const ofKey = keyParameters(table, key)
  await requireConditions(target, conditions)
  const former = await rows.run(deleteRow(table, keptColumns(table)), ofKey)
  const whole = {
    columns: [...keyNames(table), ...row.columns],
    values: [...ofKey, ...row.values],
    overridesGenerated: false,
  }
  const { columns, values, overridesGenerated } = withFormerNumber(table, whole, former)
  const result = await rows.run(insertRows(table, columns, 1, { overridesGenerated }), values)
  return await writtenRow(former.rowsAffected === 0 ? 201 : 200, result, table, form)
}

/** Changes the columns that are given. Throws `row_not_found`. */
export async function mergeRow(
  target: RowTarget,
  object: RowObject,
  conditions: RowConditions,
  form: RowForm,
): Promise<WrittenAnswer> {
  const { rows, table, key } = target
  const { columns, values } = readRow(table, withoutKey(table, object, key))
  const ofKey = keyParameters(table, key)
  await requireConditions(target, conditions)
  if (columns.length === 0) {
    const found = await rows.run(getRow(table), ofKey)
    const version = found.rowTimestamps?.[0] ?? undefined
    if (found.rows.length === 0 || version === undefined) throw rowNotFound(target)
    const body = await rowBody(found, form)
    return { status: 200, body, version, ...representation(table, form) }
  }
  const result = await rows.run(patchRow(table, columns), [...ofKey, ...values])
  if (result.unmet !== undefined) throw rowNotFound(target)
  return await writtenRow(200, result, table, form)
}

/** Sets a column of type BYTES. Throws `row_not_found`, and as `requireBytesColumn`. */
export async function setBytes(
  target: RowTarget,
  column: string,
  bytes: Buffer,
  conditions: RowConditions,
): Promise<WrittenAnswer> {
  const { rows, table, key } = target
  requireBytesColumn(table, column)
  await requireConditions(target, conditions)
  const set = patchRow(table, [column], keyNames(table))
  const result = await rows.run(set, [...keyParameters(table, key), bytes.toString('base64')])
  if (result.unmet !== undefined) throw rowNotFound(target)
  return { status: 204, version: 'written', representation: representationOfBytes(table, column) }
}

/** Throws PlanError `unknown_column`, and `type_mismatch` for one of another type than BYTES. */
export function requireBytesColumn(table: TableDefinition, name: string): void {
  const column = table.columns.find((known) => known.name === name)
  if (column === undefined) throw unknownColumn(table, name)
  if (column.type === 'BYTES') return
  throw new PlanError('type_mismatch', `Column ${name} is ${column.type}, and not BYTES.`, {
    fields: { table: table.name, column: name },
    hint: 'read it by ?columns= of the row, and write it by PATCH',
  })
}

/** As `representationOf`, of the bytes of a column alone. */
export function representationOfBytes(table: TableDefinition, column: string): string {
  return representationOf(table, { columns: [column], integers: 'string', isDescribed: false })
}

/** Throws `row_not_found`. */
export async function removeRow(
  target: RowTarget,
  conditions: RowConditions,
): Promise<WrittenAnswer> {
  const { rows, table, key } = target
  await requireConditions(target, conditions)
  const { rowsAffected } = await rows.run(deleteRow(table), keyParameters(table, key))
  if (rowsAffected === 0) throw rowNotFound(target)
  return { status: 204 }
}

/** One new row, answered with its place. Throws PlanError `already_exists`. */
export async function insertRow(
  { rows, table }: Pick<RowTarget, 'rows' | 'table'>,
  object: RowObject,
  { overridesGenerated }: { readonly overridesGenerated: boolean },
  form: RowForm,
): Promise<WrittenAnswer> {
  const { columns, values } = readRow(table, object)
  const result = await rows.run(insertRows(table, columns, 1, { overridesGenerated }), values)
  const key = keyOf(table, result)
  const location = `/v1/tables/${encodeURIComponent(table.name)}/rows/${writeKeyPath(table, key)}`
  if (form.isMinimal) {
    return { status: 201, location, counts: { rowsAffected: 1, skipped: 0 } }
  }
  return { location, ...(await writtenRow(201, result, table, form)) }
}

/** The answer with a row that this very transaction has written. */
async function writtenRow(
  status: number,
  result: StatementResult,
  table: TableDefinition,
  form: RowForm,
): Promise<WrittenAnswer> {
  const body = await rowBody(result, form)
  return { status, body, version: 'written', ...representation(table, form) }
}

/** Guards the row, so that what was found is still so when the transaction commits. */
async function requireConditions(target: RowTarget, conditions: RowConditions): Promise<void> {
  if (!conditions.areGiven) return
  const { rows, table, key } = target
  const get = getRow(table, { columns: keyNames(table), forUpdate: true })
  const { rowTimestamps } = await rows.run(get, keyParameters(table, key))
  conditions.require({ table, commitTs: rowTimestamps?.[0] ?? null }, addressOf(target))
}

export function rowNotFound(target: Pick<RowTarget, 'table' | 'key'>): ServerError {
  const address = addressOf(target)
  const detail = `The table ${target.table.name} has no row ${JSON.stringify(address.key)}.`
  return new ServerError('row_not_found', detail, address)
}

export function addressOf({ table, key }: Pick<RowTarget, 'table' | 'key'>) {
  return { table: table.name, key: keyToJson(table, key) }
}

/** The row of a result that has one. */
export function rowBody(result: StatementResult, form: RowForm): Promise<AnswerBody> {
  return bodyInTurns(rowPieces(result, form), form.turns)
}

function* rowPieces(
  { columns, rows }: StatementResult,
  { writer, integers, isDescribed }: RowForm,
): Generator<string, void, undefined> {
  if (isDescribed) yield `{"columns":${columnsText(columns)},"row":`
  yield* writer.rowPieces(columns, rows[0] ?? [], integers)
  if (isDescribed) yield '}'
}

/** The names and types of columns, as JSON. */
export function columnsText(columns: StatementResult['columns']): string {
  return JSON.stringify(columns.map(({ name, type }) => ({ name, type })))
}

/** The tag of the answered row, which its own commit made. */
export function versionTag(
  { version, representation }: WrittenAnswer,
  commitTimestamp: number | null,
): string | undefined {
  const stamp = version === 'written' ? commitTimestamp : version
  if (stamp === undefined || stamp === null) return undefined
  // Answers that an earlier version kept for their Idempotency-Key have none.
  return representation === undefined ? `"${stamp}"` : tagOf(stamp, representation)
}

function representation(
  table: TableDefinition,
  { integers, isDescribed }: Pick<RowForm, 'integers' | 'isDescribed'>,
) {
  return { representation: representationOf(table, { integers, isDescribed }) }
}

function keyOf(table: TableDefinition, { columns, rows }: StatementResult): SqlValue[] {
  return keyNames(table).map((name) => {
    const position = columns.findIndex((column) => column.name === name)
    return rows[0]?.[position] ?? null
  })
}
