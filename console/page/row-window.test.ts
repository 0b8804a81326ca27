// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { extended, NO_ROWS, PAGE_ROWS } from './row-window.ts'

function windowOf(rowCount: number, columns: number) {
  let window = NO_ROWS
  for (let read = 0; read < rowCount; read += PAGE_ROWS) {
    const page = Array.from({ length: PAGE_ROWS }, (_, at) => ({ id: read + at }))
    window = extended(window, page, columns)
  }
  return window
}

describe('the rows that a page keeps', () => {
  it('are the last 2,000, with the number of those before', () => {
    const window = windowOf(3_000, 1)
    assert.equal(window.before, 1_000)
    assert.equal(window.rows.length, 2_000)
    assert.deepEqual([window.rows.at(0), window.rows.at(-1)], [{ id: 1_000 }, { id: 2_999 }])
  })

  it('are fewer where they are wide, and a page at least', () => {
    const counts = [3, 4, 10, 16, 1_000].map((columns) => windowOf(3_000, columns).rows.length)
    assert.deepEqual(counts, [2_000, 1_400, 600, 200, 200])
  })
})
