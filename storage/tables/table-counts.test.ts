// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeStore } from '../../test/storage/fake-transactions.ts'
import { columnsOf, tableOf } from '../../test/storage/table-of.ts'
import { STORAGE_LIMITS } from '../limits.ts'
import { grantOnTable } from './access/table-grants.ts'
import { createCatalog } from './catalog/catalog.ts'
import { withCheck } from './new-check.ts'

const { tableGrantsMax, tableChecksMax } = STORAGE_LIMITS

test('a table has so many grants; one more is refused', async () => {
  const granted = (count: number) => {
    const grants = Array.from(
      { length: count },
      (_, n) => ({ role: `r${n}`, right: 'read' }) as const,
    )
    const catalog = createCatalog(1, [tableOf(columnsOf(), { grants })])
    const more = { table: 't', role: 'more', rights: ['read'] } as const
    return grantOnTable(new FakeStore().begin(), catalog, more)
  }
  assert.equal(await granted(tableGrantsMax - 1), true)
  await assert.rejects(granted(tableGrantsMax), { code: 'limit_exceeded', message: /grants/ })
})

test('a table has so many CHECKs; one more is refused', () => {
  const checked = (count: number) => {
    const check = { text: 'c0 > 1', columns: [2], state: 'ready' } as const
    const checks = Array.from({ length: count }, (_, n) => ({ ...check, name: `check ${n}` }))
    const table = tableOf(columnsOf('INTEGER'), { checks })
    return withCheck(table, { text: 'c0 > 1', columns: ['c0'] }, 'ready').checks.length
  }
  assert.equal(checked(tableChecksMax - 1), tableChecksMax)
  assert.throws(() => checked(tableChecksMax), { code: 'limit_exceeded', message: /checks/ })
})
