// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FakeStore } from '../../../test/storage/fake-transactions.ts'
import { keyString } from '../../cells/row-key.ts'
import { encodePrimaryKey } from '../bytes/key-encoding.ts'
import { defineIndex } from '../new-index.ts'
import { defineObserver } from '../new-observer.ts'
import { defineTable } from '../new-table.ts'
import type { SqlRow, TableDefinition } from '../table-definition.ts'
import type { RowChange } from './index-maintenance.ts'
import { changeRows } from './row-changes.ts'
import { notifyObserver } from './row-notifications.ts'

const column = (name: string) => ({ name, type: 'INTEGER', notNull: name === 'id' })

/** `t (id, a, b)`: 10 observes a, 11 a and b, 12, which is weak, b, and 13 the key. */
function observedTable(): TableDefinition {
  const plain = defineTable(
    {
      name: 't',
      columns: [column('id'), column('a'), column('b')],
      primaryKey: [{ column: 'id', descending: false }],
    },
    7,
  )
  const asked = [['a'], ['a', 'b'], ['b'], ['id']]
  const observers = asked.map((columns, place) =>
    defineObserver(
      plain,
      { name: `o${place}`, table: 't', isWeak: place === 2, columns },
      10 + place,
    ),
  )
  return { ...plain, observers }
}

const BEFORE: SqlRow = [1n, 5n, 6n]
const ALL: ReadonlyArray<readonly [number, string]> = [
  [10, 'strong'],
  [11, 'strong'],
  [12, 'weak'],
  [13, 'strong'],
]

async function notified(change: RowChange) {
  const table = observedTable()
  const transaction = new FakeStore().begin()
  await changeRows(transaction, table, [change])
  const key = keyString(encodePrimaryKey(table, [1n]))
  return transaction.notifications.map(([of, observer, strength]) => {
    assert.equal(of, key)
    return [observer, strength]
  })
}

suite('a change of a row notifies', () => {
  test('every observer of the table when the row comes, goes, or is written as a whole', async () => {
    assert.deepEqual(await notified({ before: null, after: BEFORE }), ALL)
    assert.deepEqual(await notified({ before: BEFORE, after: null }), ALL)
    assert.deepEqual(await notified({ before: BEFORE, after: [1n, 7n, 6n] }), ALL)
  })

  test('of a SET those that name one of its columns, also when the value stays', async () => {
    const set = (...columns: number[]) => notified({ before: BEFORE, after: BEFORE, columns })
    assert.deepEqual(await set(1), [ALL[0], ALL[1]])
    assert.deepEqual(await set(2), [ALL[1], ALL[2]])
    assert.deepEqual(await set(1, 2), ALL.slice(0, 3))
    assert.deepEqual(await set(), [])
  })

  test('nobody when it is left out for a conflict', async () => {
    const plain = observedTable()
    const parts = [{ column: 'a', descending: false }]
    const unique = { name: 'i', table: 't', unique: true, parts, storing: [] }
    const index = { ...defineIndex(plain, unique, 20), state: 'ready' as const }
    const table = { ...plain, indexes: [index] }
    const transaction = new FakeStore().begin()
    const changes = [BEFORE, [2n, 5n, 7n]].map((after) => ({ before: null, after }))
    await changeRows(transaction, table, changes, { onConflict: 'skip' })
    const first = keyString(encodePrimaryKey(table, [1n]))
    assert.equal(transaction.notifications.length, ALL.length)
    assert.ok(transaction.notifications.every(([key]) => key === first))
  })
})

test('a hint is one of a row that need not exist, and depends on the definition of the table', () => {
  const table = observedTable()
  const transaction = new FakeStore().begin()
  const weak = table.observers.find(({ isWeak }) => isWeak)
  assert.ok(weak !== undefined)
  notifyObserver(transaction, table, weak, [9n])
  const key = keyString(encodePrimaryKey(table, [9n]))
  assert.deepEqual(transaction.notifications, [[key, weak.id, 'weak']])
  assert.deepEqual([...transaction.schemasDependedOn], [7])
  assert.equal(transaction.writes.size, 0)
})
