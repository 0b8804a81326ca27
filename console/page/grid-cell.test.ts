// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gridCell } from './grid-cell.ts'

describe('a cell of the grid', () => {
  it('tells NULL, the empty text and what is missing from each other and from texts', () => {
    const cells = [null, '', undefined, 'NULL', 'empty', 'missing'].map((value) => gridCell(value))
    assert.deepEqual(
      cells.map(({ text, kind }) => [text, kind]),
      [
        ...[
          ['NULL', 'null'],
          ['empty', 'empty'],
          ['missing', 'missing'],
        ],
        ...[
          ['NULL', 'value'],
          ['empty', 'value'],
          ['missing', 'value'],
        ],
      ],
    )
  })

  it('has every digit of an integer, and the sign of zero', () => {
    const texts = [9_007_199_254_740_993n, -9_223_372_036_854_775_808n, -0, 1.5, true]
    assert.deepEqual(
      texts.map((value) => gridCell(value).text),
      ['9007199254740993', '-9223372036854775808', '-0', '1.5', 'true'],
    )
  })

  it('shows control characters and marks of direction as signs', () => {
    assert.equal(gridCell('a\nb\u0000c\u007f').text, 'a␊b␀c␡')
    assert.equal(gridCell('a\u202eb').text, 'a\\u202eb')
  })

  it('cuts a long text, and has more of it in its title', () => {
    const { text, title } = gridCell('x'.repeat(10_000))
    assert.equal(text.length, 201)
    assert.equal(title?.length, 4_001)
    assert.equal(gridCell(new Uint8Array([0, 255])).text, "x'00ff'")
    assert.equal(gridCell(new Uint8Array(2_000_000).fill(255)).text, "x'ffffffffffffffff…' 2.0 MB")
  })
})
