// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Schemas } from '../../../client-sdk/client.ts'
import { nextOrder, sortedBy, sortKeys } from './sort-orders.ts'

const column = (name: string, more = {}) => ({ column: name, descending: false, ...more })
const index = (name: string, first: object, state = 'ready') => ({ name, state, columns: [first] })

it('rows are sorted by the first columns of keys, and by no others', () => {
  const table = {
    primaryKey: [column('a'), column('b')],
    indexes: [
      index('byA', column('a')),
      index('byOwner', column('owner')),
      index('building', column('c'), 'building'),
      index('ofPath', column('meta', { path: "->>'x'" })),
      index('ofMembers', column('tags', { each: true })),
      index('ofWords', column('text', { words: true })),
    ],
  } as unknown as Schemas['Table']
  assert.deepEqual(
    [...sortKeys(table)],
    [
      ['a', 'primary'],
      ['owner', 'byOwner'],
    ],
  )
})

it('one click after another sorts up and down', () => {
  const none = { index: 'primary', order: undefined }
  const up = nextOrder('owner', 'byOwner', none)
  assert.deepEqual(up, { index: 'byOwner', order: 'owner' })
  assert.equal(sortedBy('owner', up), 'ascending')
  const down = nextOrder('owner', 'byOwner', up)
  assert.deepEqual(down, { index: 'byOwner', order: 'owner desc' })
  assert.equal(sortedBy('owner', down), 'descending')
  assert.deepEqual(nextOrder('owner', 'byOwner', down), up)
  assert.equal(sortedBy('id', down), undefined)
})

it('a name that is no plain one is quoted', () => {
  const { order } = nextOrder('x, "y" desc', 'primary', { index: 'primary', order: undefined })
  assert.equal(order, '"x, ""y"" desc"')
})
