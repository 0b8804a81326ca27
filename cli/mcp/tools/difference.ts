// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../../client-sdk/client.ts'
import { quotedName } from '../../connection/quoted-name.ts'
import { ANSWER_CHARACTERS_MAX, countWithin } from '../answer-bounds.ts'
import { ask, type Row } from '../statements.ts'
import {
  PARAMETERS_SCHEMA,
  ROWS_SCHEMA,
  rowsMaxOf,
  SQL_SCHEMA,
  STAMP_SCHEMA,
  type Tool,
  type ToolAnswer,
  type ToolCall,
} from '../tool.ts'
import { ToolError } from '../tool-error.ts'

const READ_ROWS_MAX = 10_000
const READ_CHARACTERS_MAX = 16 * 1024 * 1024
const PAGE_ROWS = 1_000

export const DIFFERENCE: Tool = {
  name: 'difference',
  title: 'Difference of two moments',
  description: `Which rows of a table, or of a SCAN, were added, removed or changed between two stamps. At most ${READ_ROWS_MAX} rows of each moment are compared.`,
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['from'],
    properties: {
      table: { type: 'string', description: 'Its rows are compared by its primary key.' },
      sql: { ...SQL_SCHEMA, description: 'A SCAN, in place of a table.' },
      params: PARAMETERS_SCHEMA,
      key: {
        description:
          'With sql: which columns of the answer name a row. Without it, rows are only added or removed.',
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        maxItems: 32,
      },
      from: STAMP_SCHEMA,
      to: { ...STAMP_SCHEMA, description: `${STAMP_SCHEMA.description} Now if not given.` },
      rows: ROWS_SCHEMA,
    },
  },
  writes: false,
  run,
}

type Change = {
  readonly op: 'insert' | 'update' | 'delete'
  readonly key?: readonly unknown[]
  readonly before?: Row
  readonly after?: Row
}

async function run(call: ToolCall): Promise<ToolAnswer> {
  const { sql, key } = await compared(call)
  const before = await rowsAt(call, sql, call.given.from)
  const after = await rowsAt(call, sql, call.given.to)
  const changes = changesOf(before.rows, after.rows, key)
  const some = changes.slice(0, rowsMaxOf(call))
  const shown = some.slice(0, countWithin(some, ANSWER_CHARACTERS_MAX))
  const counts = { insert: 0, update: 0, delete: 0 }
  for (const { op } of changes) counts[op] += 1
  const left = changes.length - shown.length
  const cut = `${left} more rows differ: ask for more rows, or compare a SCAN with a WHERE on a range of the key.`
  return {
    content: {
      from: before.readTimestamp,
      to: after.readTimestamp,
      counts,
      changes: shown,
      ...(left > 0 && { cut }),
    },
  }
}

/** Rejects with `invalid_arguments`. */
async function compared({ db, given, signal }: ToolCall) {
  const { table, sql, params, key } = given as {
    readonly table?: string
    readonly sql?: string
    readonly params?: unknown
    readonly key?: readonly string[]
  }
  if ((table === undefined) === (sql === undefined)) {
    throw new ToolError('invalid_arguments', 'Give either table, or sql.')
  }
  if (sql !== undefined) return { sql, key }
  if ((params ?? key) !== undefined) {
    throw new ToolError('invalid_arguments', 'params and key are for sql.')
  }
  const path = `/v1/tables/${encodeURIComponent(table ?? '')}`
  const { primaryKey } = await db.request<Schemas['Table']>('GET', path, undefined, { signal })
  return {
    sql: `SCAN * FROM ${quotedName(table ?? '')}`,
    key: primaryKey.map(({ column }) => column),
  }
}

/** All rows of one snapshot, now where no moment is given. Rejects with `difference_too_large`. */
async function rowsAt({ db, given, signal }: ToolCall, sql: string, asOf: unknown) {
  const { params } = given
  const rows: Row[] = []
  let characters = 0
  for (let cursor: string | undefined; ; ) {
    const request = { sql, params, asOf, pageSize: PAGE_ROWS, cursor }
    const answer = await ask(db, request, signal)
    for (const row of answer.results[0]?.rows ?? []) {
      rows.push(row)
      characters += JSON.stringify(row).length
    }
    const isOver = rows.length > READ_ROWS_MAX || characters > READ_CHARACTERS_MAX
    if (isOver) throw tooLarge(answer.readTimestamp)
    if (answer.cursor === undefined) return { rows, readTimestamp: answer.readTimestamp }
    cursor = answer.cursor
  }
}

function tooLarge(readTimestamp: number): ToolError {
  const message = `At ${readTimestamp} there are more than ${READ_ROWS_MAX} rows, or ${READ_CHARACTERS_MAX} characters of them.`
  const hint = 'compare a SCAN with a WHERE on a range of the key, or with fewer columns'
  return new ToolError('difference_too_large', message, { hint })
}

function changesOf(
  before: readonly Row[],
  after: readonly Row[],
  key: readonly string[] | undefined,
): readonly Change[] {
  const former = named(before, key)
  const changes: Change[] = []
  for (const [name, row] of named(after, key)) {
    const old = former.get(name)
    former.delete(name)
    const of = keyOf(row, key)
    if (old === undefined) changes.push({ op: 'insert', ...of, after: row })
    else if (JSON.stringify(old) !== JSON.stringify(row)) {
      changes.push({ op: 'update', ...of, before: old, after: row })
    }
  }
  for (const row of former.values()) {
    changes.push({ op: 'delete', ...keyOf(row, key), before: row })
  }
  return changes
}

function keyOf(row: Row, key: readonly string[] | undefined): Pick<Change, 'key'> {
  return key === undefined ? {} : { key: key.map((column) => row[column]) }
}

/** By the key, or else by all values; equal ones are numbered. Throws `invalid_arguments`. */
function named(rows: readonly Row[], key: readonly string[] | undefined): Map<string, Row> {
  const all = new Map<string, Row>()
  const numbers = new Map<string, number>()
  for (const row of rows) {
    const missing = key?.find((column) => !Object.hasOwn(row, column))
    if (missing !== undefined) {
      const message = `The rows have no column ${missing} at one of the two moments.`
      const columns = Object.keys(row)
      throw new ToolError('invalid_arguments', message, { columns })
    }
    const text = JSON.stringify(keyOf(row, key).key ?? row)
    const number = numbers.get(text) ?? 0
    numbers.set(text, number + 1)
    all.set(number === 0 ? text : `${text} ${number}`, row)
  }
  return all
}
