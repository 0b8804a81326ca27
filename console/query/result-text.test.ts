// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { rowsAsJson } from './result-text.ts'

it('rows as JSON have all digits, the text of JSON columns, and bytes by their digits', () => {
  const columns = ['INTEGER', 'JSON', 'BYTES', 'TEXT'].map((type) => ({ name: type, type }))
  const rows = [
    { INTEGER: 9_007_199_254_740_993n, JSON: '{"a":1.0}', BYTES: new Uint8Array([1]), TEXT: '"' },
    { INTEGER: null, JSON: null, BYTES: null },
  ]
  assert.equal(
    rowsAsJson(columns, rows),
    `[
  {"INTEGER": 9007199254740993, "JSON": {"a":1.0}, "BYTES": "x'01'", "TEXT": "\\""},
  {"INTEGER": null, "JSON": null, "BYTES": null}
]`,
  )
  assert.equal(rowsAsJson(columns, []), '[]')
})
