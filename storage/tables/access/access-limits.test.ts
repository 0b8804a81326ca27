// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STORAGE_LIMITS } from '../../limits.ts'
import { createAccessRole } from './access-roles.ts'
import type { AccessWrites } from './access-rows.ts'
import { createAccessToken } from './access-tokens.ts'

/** A store that has so many rows of access like this one, whatever is read of it. */
function storeOf(count: number, row: object): AccessWrites {
  const value = Buffer.from(JSON.stringify(row))
  const columns = new Map([['0', { value, commitTs: 1 }]])
  return {
    put() {},
    delete() {},
    requireRoom() {},
    getRow: () => null,
    async *scanBatches() {
      yield Array(count).fill({ key: Buffer.from('row'), columns })
    },
  }
}

test('there are so many tokens, and so many roles; one more is refused', async () => {
  const token = { ...{ id: 't', name: 't', role: 'admin', hash: 'h' }, created: 1, expires: 9 }
  const role = { name: 'r', isForJwt: false, server: [], allTables: [] }
  for (const [limit, row, create] of [
    ['accessTokensMax', token, (store) => createAccessToken(store, { ...token, name: 'more' })],
    ['accessRolesMax', role, (store) => createAccessRole(store, { ...role, name: 'more' })],
  ] satisfies [string, object, (store: AccessWrites) => Promise<void>][]) {
    const max = STORAGE_LIMITS[limit as 'accessTokensMax']
    await create(storeOf(max - 1, row))
    await assert.rejects(create(storeOf(max, row)), { code: 'limit_exceeded', message: /too many/ })
  }
})
