// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addressOf } from '../page/address.ts'
import { exactJson, exactText } from './exact-json.ts'
import { stampLabels } from './stamp-labels.ts'
import { wantedHash, wantedOf, wantedPath } from './wanted-rows.ts'

describe('the address of cells', () => {
  it('names rows, or an entry, as a path of the API does', () => {
    const rows = { table: 'my table', index: undefined, keys: ["a~1b/o'x,7", 'joe'] }
    assert.deepEqual(wantedOf(addressOf(wantedHash(rows))), rows)
    assert.equal(wantedPath(rows), "/v1/tables/my%20table/cells?key=a~1b%2Fo'x,7&key=joe")
    const entry = { table: 'account', index: 'byOwner', keys: ['~4,bob'] }
    assert.deepEqual(wantedOf(addressOf(wantedHash(entry, 17))), entry)
    assert.equal(wantedPath(entry), '/v1/tables/account/indexes/byOwner/cells/~4,bob')
  })

  it('names at most as many rows as may be asked for, and nothing without a key', () => {
    const keys = Array.from({ length: 30 }, (_, at) => String(at))
    assert.equal(
      wantedOf({ view: 'cells', parts: ['account', ...keys], query: {} })?.keys.length,
      20,
    )
    assert.equal(wantedOf({ view: 'cells', parts: ['account'], query: {} }), undefined)
  })
})

describe('a value of a cell', () => {
  it('keeps every digit', () => {
    const text = '{"a":9007199254740993,"b":[1.5,12345678901234567890,null],"c":"x"}'
    assert.equal(exactText(exactJson(text)), text)
  })
})

describe('the label of a stamp', () => {
  it('has as many digits as tell it from the others, and three at least', () => {
    const near = stampLabels([1_795_800_778_896_041, 1_795_800_778_896_046])
    assert.equal(near(1_795_800_778_896_041), '…041')
    const far = stampLabels([1_795_800_778_896_041, 1_795_800_912_897_041])
    assert.equal(far(1_795_800_912_897_041), '…7041')
    const same = stampLabels([1_795_800_778_896_041, 1_795_800_778_896_041])
    assert.equal(same(1_795_800_778_896_041), '…041')
    assert.equal(stampLabels([])(1_795_800_778_896_041), '…041')
  })
})
