// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { extended, NO_ROWS, PAGE_ROWS } from './row-window.ts'

describe('the rows that a page keeps', () => {
  it('are the last 2,000, with the number of those before', () => {
    let window = NO_ROWS
    for (let read = 0; read < 3_000; read += PAGE_ROWS) {
      const page = Array.from({ length: PAGE_ROWS }, (_, at) => ({ id: read + at }))
      window = extended(window, page)
    }
    assert.equal(window.before, 1_000)
    assert.equal(window.rows.length, 2_000)
    assert.deepEqual([window.rows.at(0), window.rows.at(-1)], [{ id: 1_000 }, { id: 2_999 }])
  })
})
