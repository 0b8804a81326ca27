// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../../parser/ast.ts'
import { type MaybePromise, StorageError } from '../../../storage/storage.ts'
import {
  keyOfRow,
  type SqlRow,
  type TableDefinition,
  type TakenEntries,
} from '../../../storage/tables/tables.ts'
import { valueToJson } from '../../json/json-value.ts'
import { type CandidateKey, keyOfIndex } from '../../keys/candidate-key.ts'
import { PlanError } from '../../plan-error.ts'
import type { CheckedRow } from './checked-row.ts'
import { keyToJson, rowNumber } from './new-row.ts'

/** A row that a statement wanted to write, and which of several it is. */
export type WantedRow<Row extends SqlRow = SqlRow> = {
  readonly row: Row
  readonly position: Position
  /** From 0; undefined where the statement has one row. */
  readonly number?: number | undefined
}

/** Longer values are not repeated in a message. */
const SHOWN_CHARACTERS_MAX = 60

/** Writes rows; a violated unique index is told with the row that meets it. */
export function writtenRows<T>(
  table: TableDefinition,
  wanted: ReadonlyArray<WantedRow<CheckedRow>>,
  write: () => MaybePromise<T>,
): MaybePromise<T> {
  return table.indexes.length === 0 ? write() : withDuplicates(table, wanted, write)
}

function withDuplicates<T>(
  table: TableDefinition,
  wanted: readonly WantedRow[],
  write: () => MaybePromise<T>,
): MaybePromise<T> {
  const explain = (error: unknown): never => {
    throw withWantedRow(error, table, wanted)
  }
  try {
    const written = write()
    return written instanceof Promise ? written.catch(explain) : written
  } catch (error) {
    return explain(error)
  }
}

/** Throws PlanError unique_violation where a row has taken values that another one has kept. */
export function requireGivenUp(
  table: TableDefinition,
  taken: TakenEntries,
  wantedOf: (row: SqlRow) => WantedRow,
): void {
  const { remaining } = taken
  if (remaining === undefined) return
  withDuplicates(table, [wantedOf(remaining)], () => taken.requireGivenUp(table))
}

/** A violated unique index with the values that another row has, and the row that wanted them. */
function withWantedRow(
  error: unknown,
  table: TableDefinition,
  wanted: readonly WantedRow[],
): unknown {
  if (!(error instanceof StorageError) || error.code !== 'unique_violation') return error
  const { index: name, change } = error.fields as {
    readonly index: string
    readonly change: number
  }
  const index = table.indexes.find((each) => each.name === name)
  const found = wanted[change]
  if (index === undefined || found === undefined) return error
  return uniqueViolation(keyOfIndex(table, index), table, index.name, found)
}

/** The error of a row that wants values which another one has. */
export function uniqueViolation(
  { parts }: Pick<CandidateKey, 'parts'>,
  table: TableDefinition,
  index: string,
  found: WantedRow,
): PlanError {
  const columns = parts.map(({ name }) => name)
  const values = parts.map(({ type, valueIn }) => valueToJson(type, valueIn(found.row)))
  const equal = columns.map((name, at) => `${name} = ${shown(values[at])}`).join(', ')
  return new PlanError(
    'unique_violation',
    `The table ${table.name} has another row with ${equal}, and the index ${index} is unique.`,
    {
      position: found.position,
      fields: {
        table: table.name,
        index,
        columns,
        values,
        key: keyToJson(table, keyOfRow(table, found.row)),
        ...rowNumber(found),
      },
    },
  )
}

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= SHOWN_CHARACTERS_MAX ? text : `${text.slice(0, SHOWN_CHARACTERS_MAX)}…`
}
