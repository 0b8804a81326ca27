// SPDX-License-Identifier: Apache-2.0
import { PlanError, type StatementResult, sourceOf } from '../../../planner/planner.ts'
import { identityOf, type TableDefinition } from '../../../storage/tables/tables.ts'
import { requireWithin, ServerError, StatementFailure } from '../../errors/server-error.ts'
import { bodyInTurns } from '../answers/text-pieces.ts'
import { keptColumns, type NumberedRow, withFormerNumber } from './kept-number.ts'
import { deleteRow, insertRows, keyNames } from './row-statements.ts'
import type { RowTransaction, WrittenAnswer } from './row-transactions.ts'
import { type RowObject, readRow } from './row-values.ts'
import { columnsText, type RowForm, type RowTarget } from './row-writes.ts'

/** What becomes of a posted row whose key has one: it is refused, replaces that one, or is left out. */
export type PostMode = 'insert' | 'put' | 'skip'

type PostOptions = {
  readonly mode: PostMode
  /** Whether they may have values of a column that is GENERATED ALWAYS. */
  readonly overridesGenerated: boolean
}

/** Rows that go in by one INSERT; fewer where they have many values. */
const ROWS_AT_ONCE = 500
const VALUES_AT_ONCE = 5_000

/** Several rows, all of them or none. Rows of the same columns that follow each other go in together. */
export async function writeSeveral(
  { rows, table }: Pick<RowTarget, 'rows' | 'table'>,
  objects: readonly RowObject[],
  { mode, overridesGenerated }: PostOptions,
  form: RowForm,
): Promise<WrittenAnswer> {
  requireWithin('postedRowsMax', objects.length, 'Rows of one request')
  const batches = batchesOf(table, objects, overridesGenerated)
  // All are removed before the first INSERT: a key that comes twice would replace a row of this very request.
  const removed = mode === 'put' ? await withoutFormer(rows, table, batches) : batches
  const results: StatementResult[] = []
  for (const { first, columns, values, rowCount, overridesGenerated } of removed) {
    const insert = insertRows(table, columns, rowCount, {
      onConflictDoNothing: mode === 'skip',
      isReturning: !form.isMinimal,
      overridesGenerated,
    })
    try {
      results.push(await rows.run(insert, values))
    } catch (error) {
      throw ofPostedRow(error, first)
    }
  }
  if (form.isMinimal) {
    const rowsAffected = results.reduce((sum, result) => sum + result.rowsAffected, 0)
    return { status: 201, counts: { rowsAffected, skipped: objects.length - rowsAffected } }
  }
  return { status: 201, body: await bodyInTurns(severalPieces(results, form), form.turns) }
}

/** Resolves to the batches, once no row is there that has a key of theirs. */
async function withoutFormer(
  rows: RowTransaction,
  table: TableDefinition,
  batches: Iterable<Batch>,
): Promise<readonly Batch[]> {
  const removed: Batch[] = []
  for (const batch of batches) {
    const former = await removeRows(rows, table, batch)
    removed.push(...withFormerNumbers(table, batch, former))
  }
  return removed
}

/** Those that are there and have the keys of the batch, as the row that takes their place is of their key. */
async function removeRows(
  rows: RowTransaction,
  table: TableDefinition,
  { first, columns, values, rowCount }: Batch,
): Promise<readonly StatementResult[]> {
  const positions = keyNames(table).map((name) => {
    const position = columns.indexOf(name)
    if (position >= 0) return position
    throw new ServerError('invalid_request', `A row to be put needs its key: ${name} is missing.`, {
      table: table.name,
      columnName: name,
    })
  })
  const keys = Array.from({ length: rowCount }, (_, row) =>
    positions.map((position) => values[row * columns.length + position]),
  )
  try {
    return await rows.runEach(deleteRow(table, keptColumns(table)), keys)
  } catch (error) {
    throw ofPostedRow(error, first)
  }
}

/** The batch in parts, in which each row that takes the place of another has its number. */
function withFormerNumbers(
  table: TableDefinition,
  batch: Batch,
  former: readonly StatementResult[],
): readonly Batch[] {
  const { columns, overridesGenerated } = batch
  if (identityOf(table) === undefined) return [batch]
  const parts: Array<Batch & { values: unknown[]; rowCount: number }> = []
  for (const [row, removed] of former.entries()) {
    const values = batch.values.slice(row * columns.length, (row + 1) * columns.length)
    const numbered = withFormerNumber(table, { columns, values, overridesGenerated }, removed)
    const last = parts.at(-1)
    if (
      last?.columns.length === numbered.columns.length &&
      last.overridesGenerated === numbered.overridesGenerated
    ) {
      last.values.push(...numbered.values)
      last.rowCount += 1
    } else {
      const whole = { ...numbered, values: [...numbered.values] }
      parts.push({ ...whole, first: batch.first + row, rowCount: 1 })
    }
  }
  return parts
}

/** The rows of several results of the same columns. */
function* severalPieces(
  results: readonly StatementResult[],
  form: RowForm,
): Generator<string, void, undefined> {
  const columns = results[0]?.columns ?? []
  if (form.isDescribed) yield `{"columns":${columnsText(columns)},"rows":`
  const rows = results.flatMap((result) => result.rows)
  yield* form.writer.rows({ columns, rows, rowsAffected: rows.length }, form.integers)
  if (form.isDescribed) yield '}'
}

/** A statement of the server's own knows its rows from its first one on; the client has posted others before. */
function ofPostedRow(error: unknown, first: number): unknown {
  const cause = error instanceof StatementFailure ? error.cause : error
  if (!(cause instanceof PlanError)) return error
  const { code, message, hint, fields } = cause
  const row = first + (typeof fields.row === 'number' ? fields.row : 0)
  return new PlanError(code, message, { hint, fields: { ...fields, row } })
}

/** Rows of the same columns; their values follow each other, row by row. */
type Batch = NumberedRow & {
  /** The position of its first row among those that were posted. */
  readonly first: number
  readonly rowCount: number
}

function* batchesOf(
  table: TableDefinition,
  objects: readonly RowObject[],
  overridesGenerated: boolean,
): Generator<Batch, void, undefined> {
  const names = objects.reduce((sum, object) => sum + Object.keys(object).length, 0)
  const mayRepeatNames = sourceOf(objects)?.nameCount !== names
  for (let first = 0; first < objects.length; ) {
    const batch = { ...batchFrom(table, objects, { first, mayRepeatNames }), overridesGenerated }
    yield batch
    first += batch.rowCount
  }
}

function batchFrom(
  table: TableDefinition,
  objects: readonly RowObject[],
  { first, mayRepeatNames }: { readonly first: number; readonly mayRepeatNames: boolean },
): Omit<Batch, 'overridesGenerated'> {
  const source = sourceOf(objects)
  const rowAt = (row: number) =>
    readRow(table, objects[row] as RowObject, { row, source: source?.member(row), mayRepeatNames })
  const { columns, values } = rowAt(first)
  const all = [...values]
  let rowCount = 1
  const rowsMax = Math.min(ROWS_AT_ONCE, Math.ceil(VALUES_AT_ONCE / (columns.length + 1)))
  while (rowCount < rowsMax && first + rowCount < objects.length) {
    const row = rowAt(first + rowCount)
    if (row.columns.length !== columns.length) break
    if (!row.columns.every((name, index) => name === columns[index])) break
    for (const value of row.values) all.push(value)
    rowCount += 1
  }
  return { first, columns, values: all, rowCount }
}
