// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Row, Schemas } from '../../client-sdk/client.ts'
import { bytesOfField, changedColumns, formOf, sentValues } from './form-values.ts'

const TYPES = ['TEXT', 'INTEGER', 'DECIMAL', 'REAL', 'BOOLEAN', 'TIMESTAMP', 'BYTES', 'JSON']
const COLUMNS: Schemas['TableColumn'][] = TYPES.map((type) => ({
  name: type.toLowerCase(),
  type: type as Schemas['TableColumn']['type'],
  notNull: false,
}))
const ROW: Row = {
  text: " it's\n",
  integer: 9_007_199_254_740_993n,
  decimal: '12345678901234567890.10',
  real: -0,
  boolean: false,
  timestamp: '2026-11-27T17:24:23.859000Z',
  bytes: new Uint8Array([0, 255]),
  json: '{"a":12345678901234567890}',
}

describe('the form of a row', () => {
  it('sends what it shows, with every digit', () => {
    const { row, problems } = sentValues(COLUMNS, formOf(COLUMNS, ROW))
    assert.deepEqual(problems, {})
    const { json, ...others } = row
    const { json: text, ...shown } = ROW
    assert.deepEqual(others, shown)
    assert.ok(Object.is(row.real, -0))
    assert.equal(JSON.stringify(json), text)
  })

  it('sends NULL for NULL, and nothing for what was left out', () => {
    const { row } = sentValues(COLUMNS, { text: { kind: 'null' }, integer: { kind: 'unset' } })
    assert.deepEqual(row, { text: null })
  })

  it('says of each field that has no value of its type what it wants', () => {
    const bad = Object.fromEntries(
      COLUMNS.map(({ name }) => [name, { kind: 'text', text: '0x' }] as const),
    )
    const { row, problems } = sentValues(COLUMNS, bad)
    assert.deepEqual(Object.keys(row), ['text', 'timestamp'])
    assert.deepEqual(Object.keys(problems), [
      'integer',
      'decimal',
      'real',
      'boolean',
      'bytes',
      'json',
    ])
  })

  it('holds long bytes as they are, and knows the same ones again', () => {
    const long = new Uint8Array(1_000).fill(7)
    const before = formOf(COLUMNS, { ...ROW, bytes: long })
    assert.deepEqual(before.bytes, { kind: 'bytes', bytes: long })
    assert.equal(sentValues(COLUMNS, before).row.bytes, long)
    const other = (bytes: Uint8Array) => ({ ...before, bytes: { kind: 'bytes', bytes } }) as const
    assert.deepEqual(changedColumns(COLUMNS, before, other(long.slice())), [])
    assert.equal(changedColumns(COLUMNS, before, other(long.slice(1))).length, 1)
    assert.deepEqual(bytesOfField({ kind: 'text', text: '00FF' }), new Uint8Array([0, 255]))
  })

  it('knows which fields were changed', () => {
    const before = formOf(COLUMNS, ROW)
    const now = {
      ...before,
      text: { kind: 'text', text: '' },
      json: { kind: 'null' },
      real: { kind: 'text', text: '-0' },
    } as const
    assert.deepEqual(
      changedColumns(COLUMNS, before, now).map(({ name }) => name),
      ['text', 'json'],
    )
  })
})
