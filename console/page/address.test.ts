// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Address, addressOf, hashOf } from './address.ts'

describe('an address of the console', () => {
  it('is the same after it was written and read, with every character', () => {
    const addresses: Address[] = [
      { view: '', parts: [], query: {} },
      { view: 'query', parts: [], query: { sql: "GET * FROM a\nWHERE b = '?#&/%'" } },
      { view: 'cells', parts: ['account', '["a/b", "ä"]', ''], query: { at: '17' } },
    ]
    for (const address of addresses) assert.deepEqual(addressOf(hashOf(address)), address)
  })

  it('is read whatever somebody has typed', () => {
    assert.deepEqual(addressOf(''), { view: '', parts: [], query: {} })
    assert.deepEqual(addressOf('#status'), { view: 'status', parts: [], query: {} })
    assert.deepEqual(addressOf('#/cells/100%'), { view: 'cells', parts: ['100%'], query: {} })
  })
})
