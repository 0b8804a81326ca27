// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Schemas } from '../../client-sdk/client.ts'
import { addressOf } from '../page/address.ts'
import { cellsHash, entryHashes, watchHash } from './row-links.ts'

const column = (name: string) => ({ column: name, descending: false })
const index = (name: string, unique: boolean) => ({
  ...{ name, unique, columns: [column('owner')], storing: [], state: 'ready' },
})
const OF_PATH = { ...index('ofPath', false), columns: [{ ...column('meta'), path: "->>'a'" }] }
const OF_MEMBERS = {
  ...index('ofMembers', false),
  columns: [{ ...column('meta'), each: true as const }],
}
const OF_WORDS = {
  ...index('ofWords', false),
  columns: [{ ...column('body'), words: true as const }],
}
const TABLE = {
  name: 'my table',
  primaryKey: [column('symbol'), column('id')],
  indexes: [index('byOwner', false), index('oneOwner', true), OF_PATH, OF_MEMBERS, OF_WORDS],
} as unknown as Schemas['Table']
const ROW = { symbol: "a,b/~o'x", id: 7n, owner: 'ann' }

describe('the links of a row', () => {
  it('name its key as a path of the API does, whatever stands in it', () => {
    const { parts } = addressOf(cellsHash(TABLE, ROW))
    assert.deepEqual(parts, ['my table', "a~1b/~0o'x,7"])
  })

  it('name its entries, with the primary key where the index does not hold alone', () => {
    const keys = (row: typeof ROW | { owner: null }) =>
      entryHashes(TABLE, { ...ROW, ...row }).map(({ hash }) => addressOf(hash).parts[1])
    assert.deepEqual(keys(ROW), ["ann,a~1b/~0o'x,7", 'ann'])
    assert.deepEqual(keys({ owner: null }), ["~4,a~1b/~0o'x,7", "~4,a~1b/~0o'x,7"])
  })

  it('name a statement that reads it alone', () => {
    assert.equal(
      addressOf(watchHash(TABLE, ROW)).query.sql,
      `GET * FROM "my table" WHERE symbol = 'a,b/~o''x' AND id = 7`,
    )
  })
})
