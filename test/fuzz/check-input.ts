// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { createParser, ParseError } from '../../parser/parser.ts'
import { InvariantViolation } from '../../storage/invariant.ts'
import { decodePrimaryKey, encodePrimaryKey } from '../../storage/tables/bytes/key-encoding.ts'
import { decodeRow } from '../../storage/tables/bytes/row-codec.ts'
import type { TableDefinition } from '../../storage/tables/table-definition.ts'
import { decodeLock, encodeLock } from '../../storage/transactions/records/lock.ts'
import {
  decodeWriteRecord,
  encodeWriteRecord,
} from '../../storage/transactions/records/write-record.ts'
import type { SqlType } from '../../storage/values/sql-type.ts'
import { encodeRow } from '../storage/encoded-row.ts'
import { columnsOf, tableOf } from '../storage/table-of.ts'
import {
  bytesOf,
  type FuzzInput,
  type StatementInput,
  type StoredInput,
  textOf,
} from './fuzz-input.ts'
import type { FuzzServer } from './fuzz-server.ts'

const parser = createParser()

/** The invariant of every input: it is understood or refused, by name, and never a fault of ours. */
export async function checkInput(server: FuzzServer, input: FuzzInput): Promise<void> {
  switch (input.kind) {
    case 'statements':
      return checkStatements(server, input)
    case 'request':
      return void (await server.send(input.path, input.contentType, bytesOf(input.body)))
    case 'socket':
      return server.exchange(bytesOf(input.bytes))
    case 'stored':
      return checkStored(input)
  }
}

async function checkStatements(server: FuzzServer, { text, params }: StatementInput) {
  const statements = textOf(text)
  try {
    parser.parseScript(statements)
  } catch (error) {
    assert.ok(error instanceof ParseError, `${error}`)
    assert.ok(error.offset >= 0 && error.offset <= statements.length, 'a place in the text')
  }
  const sql = JSON.stringify(statements)
  const body = params === undefined ? `{"sql": ${sql}}` : `{"sql": ${sql}, "params": ${params}}`
  const answer = JSON.parse(await server.send('/v1/query', 'application/json', Buffer.from(body)))
  await readOn(server, sql, params, answer.cursor)
}

/** A cursor that the server gave must be taken back by it. */
async function readOn(
  server: FuzzServer,
  sql: string,
  params: string | undefined,
  cursor: string | undefined,
): Promise<void> {
  if (cursor === undefined) return
  const withParams = params === undefined ? '' : `, "params": ${params}`
  const body = `{"sql": ${sql}${withParams}, "cursor": ${JSON.stringify(cursor)}, "pageSize": 1}`
  const answer = await server.send('/v1/query', 'application/json', Buffer.from(body))
  assert.notEqual(JSON.parse(answer).code, 'bad_cursor')
}

const KEY_TYPES: readonly SqlType[] = [
  'TEXT',
  'INTEGER',
  'DECIMAL',
  'REAL',
  'BOOLEAN',
  'BYTES',
  'TIMESTAMP',
  'DATE',
]
const ALL_TYPES: readonly SqlType[] = [...KEY_TYPES, 'JSON']

/** One table for each type of a key, ascending and descending; the rows of each have all types. */
export const STORED_TABLES: readonly TableDefinition[] = KEY_TYPES.flatMap((type) =>
  [false, true].map((descending) => {
    const [, ...others] = columnsOf(...ALL_TYPES)
    const columns = [{ id: 1, name: 'id', type, notNull: true }, ...others]
    return tableOf(columns, { name: 'stored', primaryKey: [{ columnId: 1, descending }] })
  }),
)

/** Either the bytes are the very encoding of what they are read as, or they violate an invariant. */
function checkStored({ record, bytes }: StoredInput): void {
  const given = bytesOf(bytes)
  for (const encodedAgain of READINGS[record]) {
    try {
      assert.equal(Buffer.from(encodedAgain(given)).toString('hex'), given.toString('hex'))
    } catch (error) {
      if (!(error instanceof InvariantViolation)) throw error
    }
  }
}

const READINGS: Readonly<
  Record<StoredInput['record'], ReadonlyArray<(bytes: Uint8Array) => Uint8Array>>
> = {
  key: STORED_TABLES.map((table) => (key) => encodePrimaryKey(table, decodePrimaryKey(table, key))),
  // A row value may lack columns and hold small numbers in large fields, so here the row must come back.
  row: STORED_TABLES.slice(0, 1).map((table) => (value) => {
    const { key } = encodeRow(table, ['k', ...ALL_TYPES.map(() => null)])
    const row = decodeRow(table, key, value)
    assert.deepEqual(decodeRow(table, key, encodeRow(table, row).value), row)
    return value
  }),
  lock: [(bytes) => encodeLock(decodeLock(1, bytes))],
  write: [(bytes) => encodeWriteRecord(decodeWriteRecord(bytes))],
}
