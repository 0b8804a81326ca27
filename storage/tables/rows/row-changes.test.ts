// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { FakeStore, type FakeTransaction } from '../../../test/storage/fake-transactions.ts'
import { deleteRow, putRow } from '../../../test/storage/row-writes.ts'
import { type MaybePromise, openStorage, type Transaction } from '../../storage.ts'
import type { SqlValue } from '../../values/sql-type.ts'
import { defineIndex } from '../new-index.ts'
import { defineTable } from '../new-table.ts'
import type { SqlRow, TableDefinition } from '../table-definition.ts'
import { getUniqueEntries, scanIndexEntries } from './index-scan.ts'
import { changeRows, columnsForDelete, columnsForSet, guardRow } from './row-changes.ts'
import { getRows, scanRows } from './table-rows.ts'

const column = (name: string, type = 'INTEGER') => ({ name, type, notNull: name === 'id' })
const part = (name: string, descending = false) => ({ column: name, descending })

/** `t (id, a, b, note)`, with a column family for `b` and one for `note` when they are asked for. */
function tableWith(
  indexes: ReadonlyArray<{ on: string[]; unique?: boolean; storing?: string[] }>,
  families: ReadonlyArray<{ name: string; columns: string[] }> = [],
): TableDefinition {
  const columns = [column('id'), column('a'), column('b'), column('note', 'TEXT')]
  let table = defineTable({ name: 't', columns, primaryKey: [part('id')], families }, 7)
  for (const [place, { on, unique = false, storing = [] }] of indexes.entries()) {
    const parts = on.map((name) => part(name))
    const newIndex = { name: `i${place}`, table: 't', unique, parts, storing }
    const index = { ...defineIndex(table, newIndex, 20 + place), state: 'ready' as const }
    table = { ...table, indexes: [...table.indexes, index] }
  }
  return table
}

async function entries(
  transaction: Pick<Transaction, 'scanBatches'>,
  table: TableDefinition,
  place = 0,
): Promise<SqlRow[]> {
  const found: SqlRow[] = []
  const index = table.indexes[place]
  assert.ok(index !== undefined)
  for await (const batch of scanIndexEntries(transaction, table, index, {})) {
    found.push(...batch.map(({ row }) => row))
  }
  return found
}

async function commit(
  store: FakeStore,
  work: (transaction: FakeTransaction) => MaybePromise<unknown>,
) {
  const transaction = store.begin()
  await work(transaction)
  transaction.commit()
  return transaction
}

suite('a row and its index entries', () => {
  test('change together, and what stays the same is not written', async () => {
    const table = tableWith([{ on: ['a'] }, { on: ['b'], storing: ['note'] }])
    const store = new FakeStore()
    const row = [1n, 10n, 20n, 'x']
    await commit(store, (at) => putRow(at, table, row, null))
    const changed = [1n, 11n, 20n, 'x']
    const writes = await commit(store, (at) => putRow(at, table, changed, row))
    // The row, the entry of 10, the entry of 11.
    assert.equal(writes.writes.size, 3)
    const stored = [1n, 11n, 20n, 'y']
    assert.equal((await commit(store, (at) => putRow(at, table, stored, changed))).writes.size, 2)
    assert.deepEqual(await entries(store.begin(), table), [[1n, 11n, null, null]])
    assert.deepEqual(await entries(store.begin(), table, 1), [[1n, null, 20n, 'y']])
    await commit(store, (at) => deleteRow(at, table, stored))
    assert.deepEqual(await entries(store.begin(), table), [])
    assert.deepEqual(await entries(store.begin(), table, 1), [])
  })

  test('agree after any sequence of changes', async () => {
    const table = tableWith([{ on: ['a'] }, { on: ['b', 'a'], unique: true, storing: ['note'] }])
    const small = fc.option(fc.bigInt({ min: 0n, max: 3n }))
    const change = fc.record({
      id: fc.bigInt({ min: 0n, max: 5n }),
      after: fc.option(fc.tuple(small, small, fc.option(fc.constantFrom('x', 'y'))), { freq: 4 }),
    })
    const sequence = fc.array(change, { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(sequence, async (changes) => {
        const store = new FakeStore()
        const model = new Map<bigint, SqlRow>()
        for (const { id, after } of changes) {
          const before = model.get(id) ?? null
          const row = after === null ? null : ([id, ...after] as SqlValue[])
          const isTaken =
            row !== null &&
            [...model.values()].some(
              (other) =>
                other[0] !== id &&
                row[1] !== null &&
                row[2] !== null &&
                other[1] === row[1] &&
                other[2] === row[2],
            )
          const transaction = store.begin()
          if (isTaken) {
            const refused = putRow(transaction, table, row, before)
            await assert.rejects(refused, { code: 'unique_violation' })
            assert.equal(transaction.writes.size, 0)
            continue
          }
          if (row !== null) await putRow(transaction, table, row, before)
          else if (before !== null) await deleteRow(transaction, table, before)
          transaction.commit()
          if (row === null) model.delete(id)
          else model.set(id, row)
        }
        const at = store.begin()
        const ids = (rows: readonly SqlRow[]) => rows.map(([id]) => id).toSorted()
        assert.deepEqual(ids(await entries(at, table)), [...model.keys()].toSorted())
        const unique = await entries(at, table, 1)
        assert.deepEqual(ids(unique), [...model.keys()].toSorted())
        for (const row of unique) assert.deepEqual(row, model.get(row[0] as bigint))
      }),
      { numRuns: 200 },
    )
  })
})

suite('a unique value', () => {
  const table = tableWith([{ on: ['a'], unique: true }])
  /** `change` is which of the changes of one call was refused. */
  const violation = (change: number) => ({
    code: 'unique_violation',
    fields: { change, table: 't', index: 'i0', columns: ['a'] },
  })

  test('that a row has is refused to another, before anything is written', async () => {
    const store = new FakeStore()
    await commit(store, (at) => putRow(at, table, [1n, 10n, 0n, ''], null))
    const transaction = store.begin()
    const changes = [
      { before: null, after: [2n, 11n, 0n, ''] },
      { before: null, after: [3n, 10n, 0n, ''] },
    ]
    await assert.rejects(async () => changeRows(transaction, table, changes), violation(1))
    assert.equal(transaction.writes.size, 0)
    await putRow(transaction, table, [1n, 10n, 5n, ''], [1n, 10n, 0n, ''])
  })

  test('passes from row to row within one call, and NULL is no value', async () => {
    const store = new FakeStore()
    await commit(store, (at) => putRow(at, table, [1n, 10n, 0n, ''], null))
    await commit(store, (at) =>
      changeRows(at, table, [
        { before: [1n, 10n, 0n, ''], after: [1n, null, 0n, ''] },
        { before: null, after: [2n, 10n, 0n, ''] },
        { before: null, after: [3n, null, 0n, ''] },
      ]),
    )
    const [index] = table.indexes
    assert.ok(index !== undefined)
    const found = await getUniqueEntries(store.begin(), table, index, [[10n], [11n]])
    assert.deepEqual(
      found.map((entry) => entry?.primaryKey ?? null),
      [[2n], null],
    )
    assert.equal((await entries(store.begin(), table)).length, 3)
  })

  test('that is taken lets ON CONFLICT leave the row out and make the others', async () => {
    const store = new FakeStore()
    await commit(store, (at) => putRow(at, table, [1n, 10n, 0n, ''], null))
    const changes = [9n, 10n, 9n].map((a, place) => ({
      before: null,
      after: [BigInt(place + 2), a, 0n, ''],
    }))
    const conflicts = await commitAndTell(store, (at) =>
      changeRows(at, table, changes, { onConflict: 'skip' }),
    )
    assert.deepEqual(
      conflicts.map((conflict) => conflict?.index.name ?? null),
      [null, 'i0', 'i0'],
    )
    const rows = await Array.fromAsync(scanRows(store.begin(), table, {}))
    assert.deepEqual(
      rows.map(({ row }) => row[0]),
      [1n, 2n],
    )
  })

  test('is seen by a later call of the same statement, which reads nothing of its own', async () => {
    const storage = await openStorage({ engine: 'memory' })
    const transaction = await storage.begin()
    const twice = transaction.statement(async () => {
      await putRow(transaction, table, [1n, 10n, 0n, ''], null)
      await putRow(transaction, table, [2n, 10n, 0n, ''], null)
    })
    await assert.rejects(async () => twice, violation(0))
    await transaction.statement(() => putRow(transaction, table, [2n, 10n, 0n, ''], null))
    await assert.rejects(
      async () => transaction.statement(() => putRow(transaction, table, [3n, 10n, 0n, ''], null)),
      violation(0),
    )
    transaction.rollback()
    await storage.close()
  })

  test('is won by one of many that insert it at once, and the others learn of the index', async () => {
    const storage = await openStorage({ engine: 'memory' })
    const insert = async (id: bigint) => {
      const transaction = await storage.begin()
      await putRow(transaction, table, [id, 10n, 0n, ''], null)
      await transaction.commit()
    }
    const ids = Array.from({ length: 20 }, (_, id) => BigInt(id))
    const outcomes = await Promise.allSettled(ids.map(insert))
    const losers = outcomes.filter((outcome) => outcome.status === 'rejected')
    assert.equal(losers.length, 19)
    for (const { reason } of losers) {
      assert.equal(reason.code, 'write_conflict')
      assert.equal(reason.fields.row[0], 2, 'the row of the conflict is an index entry')
    }
    const reading = await storage.begin({ readOnly: true })
    assert.equal((await entries(reading, table)).length, 1)
    assert.equal((await Array.fromAsync(scanRows(reading, table, {}))).length, 1)
    reading.rollback()
    await storage.close()
  })
})

async function commitAndTell<T>(
  store: FakeStore,
  work: (transaction: FakeTransaction) => MaybePromise<T>,
): Promise<T> {
  const transaction = store.begin()
  const result = await work(transaction)
  transaction.commit()
  return result
}

suite('a row of several families', () => {
  const families = [
    { name: 'second', columns: ['b'] },
    { name: 'remarks', columns: ['note'] },
  ]
  const table = tableWith([{ on: ['a', 'b'] }], families)
  const ROW: SqlRow = [1n, 10n, 20n, 'x']
  const columnsWritten = (transaction: FakeTransaction) =>
    [...transaction.writes.keys()]
      .filter((address) => address.startsWith('\u0001'))
      .map((address) => address.slice(address.lastIndexOf(':') + 1))

  test('is one cell a family: INSERT and DELETE write all, a SET those it names', async () => {
    const store = new FakeStore()
    const inserting = await commit(store, (at) => putRow(at, table, ROW, null))
    assert.deepEqual(columnsWritten(inserting), ['0', '1', '2'])
    const after = [1n, 10n, 20n, 'y']
    const setting = await commit(store, (at) =>
      changeRows(at, table, [{ before: [1n, null, null, 'x'], after, columns: [3] }]),
    )
    assert.deepEqual(columnsWritten(setting), ['2'])
    assert.deepEqual((await getRows(store.begin(), table, [[1n]]))[0]?.row, after)
    const deleting = await commit(store, (at) => deleteRow(at, table, after))
    assert.deepEqual(columnsWritten(deleting), ['0', '1', '2'])
    assert.deepEqual(await getRows(store.begin(), table, [[1n]]), [null])
    assert.deepEqual(await entries(store.begin(), table), [])
  })

  test('is read only where it is asked for, and family 0 tells that it is there', async () => {
    const store = new FakeStore()
    await commit(store, (at) => putRow(at, table, ROW, null))
    await commit(store, (at) =>
      changeRows(at, table, [{ before: ROW, after: [1n, 10n, 20n, 'y'], columns: [3] }]),
    )
    const read = async (columns?: readonly number[]) => {
      const [stored] = await getRows(store.begin(), table, [[1n]], columns)
      return [stored?.row, stored?.commitTs]
    }
    assert.deepEqual(await read([3]), [[1n, null, null, 'y'], 40])
    assert.deepEqual(await read([2]), [[1n, null, 20n, null], 20])
    assert.deepEqual(await read([]), [[1n, null, null, null], 20])
    assert.deepEqual(await read(), [[1n, 10n, 20n, 'y'], 40])
  })

  test('may be set in two families at once, but not where an index joins them', async () => {
    const store = new FakeStore()
    await commit(store, (at) => putRow(at, table, ROW, null))
    const set = async (position: number, value: SqlValue) => {
      const transaction = store.begin()
      const columns = columnsForSet(table, [position])
      const [stored] = await getRows(transaction, table, [[1n]], columns)
      const before = stored?.row ?? []
      const change = { before, after: before.with(position, value), columns: [position] }
      await changeRows(transaction, table, [change])
      return transaction
    }
    const note = await set(3, 'z')
    const b = await set(2, 21n)
    const a = await set(1, 11n)
    note.commit()
    b.commit()
    assert.throws(() => a.commit(), { code: 'write_conflict' })
    assert.deepEqual(await entries(store.begin(), table), [[1n, 10n, 21n, null]])
  })

  test('is guarded in every family', async () => {
    const transaction = new FakeStore().begin()
    guardRow(transaction, table, [1n])
    assert.deepEqual(columnsWritten(transaction), ['0', '1', '2'])
  })

  test('a change reads its families, and what its indexes are made of', () => {
    assert.deepEqual(columnsForSet(table, [3]), [3])
    assert.deepEqual(columnsForSet(table, [2]), [1, 2])
    assert.deepEqual(columnsForSet(table, [1]), [0, 1, 2])
    assert.deepEqual(columnsForDelete(table), [0, 1, 2])
  })

  test('that lacks one of them is damaged', async () => {
    const store = new FakeStore()
    await commit(store, (at) => putRow(at, table, ROW, null))
    const [address] = [...store.rows.keys()].filter((text) => text.endsWith(':2'))
    store.rows.delete(address ?? '')
    const reading = getRows(store.begin(), table, [[1n]])
    await assert.rejects(async () => reading, { name: 'InvariantViolation', rule: 'T2' })
  })
})
