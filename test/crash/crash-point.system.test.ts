// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { ORACLE_ROW } from '../../storage/cells/row-key.ts'
import { openSqliteCellStore } from '../../storage/cells/sqlite/sqlite-cell-store.ts'
import { checkDataDirectory } from '../../storage/operations/operations.ts'
import {
  type Clock,
  openStorage,
  Storage,
  systemClock,
  type Transaction,
} from '../../storage/storage.ts'
import {
  createTable,
  guardRow,
  scanRows,
  type TableDefinition,
} from '../../storage/tables/tables.ts'
import { type Fault, FaultyCellStore } from '../storage/faulty-cell-store.ts'
import { deleteRow, putRow } from '../storage/row-writes.ts'
import { testFolder } from '../test-folder.ts'

/**
 * The process dies before or after each single mutation of a commit. The next start finds the
 * transaction whole or not at all, says which, and leaves no lock; and it may die as well.
 */
const LONG = 'x'.repeat(2_000)

const BEFORE = ['ann 1 short', 'bob 2 short', 'joe 3 short']
const AFTER = [`ann 11 ${LONG}`, 'bob 12 short', 'new 14 short']

/** A process that has died, or a test that has failed, must not keep this one waiting for timers. */
const dyingClock: Clock = {
  ...systemClock,
  sleep: async (ms, signal) =>
    void (await setTimeout(ms, undefined, { ref: false, ...(signal && { signal }) })),
}

type World = { readonly storage: Storage; readonly account: TableDefinition }

/** The folder of a stopped database, to be copied for each death. */
async function makeWorld(t: TestContext): Promise<string> {
  const dataDirectory = await testFolder(t, 'crash')
  const storage = await openStorage({ engine: 'sqlite', dataDirectory, clock: dyingClock })
  const account = await define(storage, 'account')
  const transaction = await storage.begin()
  for (const line of BEFORE) await putLine(transaction, account, line)
  await transaction.commit()
  await storage.close()
  return dataDirectory
}

async function copyOf(t: TestContext, world: string): Promise<string> {
  const folder = await testFolder(t, 'crash')
  await cp(world, folder, { recursive: true })
  return folder
}

async function define(storage: Storage, name: string): Promise<TableDefinition> {
  const columns = ['id', 'balance', 'note'].map((column) => {
    return { name: column, type: column === 'balance' ? 'INTEGER' : 'TEXT', notNull: false }
  })
  const primaryKey = [{ column: 'id', descending: false }]
  const transaction = await storage.begin()
  const catalog = await storage.catalog(transaction)
  const definition = { name, columns, primaryKey }
  const { table } = await createTable(transaction, catalog, definition, { ifNotExists: false })
  await transaction.commit()
  return table
}

async function putLine(
  transaction: Transaction,
  account: TableDefinition,
  line: string,
): Promise<void> {
  const [id = '', balance = '', note = ''] = line.split(' ')
  await putRow(transaction, account, [id, BigInt(balance), note], null)
}

async function lines({ storage, account }: World): Promise<string[]> {
  const transaction = await storage.begin({ readOnly: true })
  const rows = await Array.fromAsync(scanRows(transaction, account, {}))
  transaction.rollback()
  return rows.map(({ row }) => row.join(' '))
}

async function tableOf(storage: Storage, name: string): Promise<TableDefinition | undefined> {
  const transaction = await storage.begin({ readOnly: true })
  const catalog = await storage.catalog(transaction)
  transaction.rollback()
  return catalog.table(name)
}

type Died = {
  /** Mutations that the process sent until it died, or in all. */
  readonly calls: number
  /** The transaction that was under way, for the question what became of it. */
  readonly id: string
  readonly acknowledged: boolean
}

/** Opens the folder, runs the work, and lets the process die at the given mutation of it. */
async function dieAt(
  dataDirectory: string,
  work: (world: World) => Promise<Transaction>,
  death: { readonly call: number; readonly fault: Fault } | undefined,
): Promise<Died> {
  const inner = await openSqliteCellStore({ dataDirectory })
  const cellStore = new FaultyCellStore(inner)
  const storage = await Storage.open(cellStore, { owner: 'exclusive', clock: dyingClock })
  const account = (await tableOf(storage, 'account')) as TableDefinition
  let calls = 0
  const died = new Promise<'died'>((resolve) => {
    cellStore.fault = (_call, row) => {
      if (Buffer.compare(row, ORACLE_ROW) === 0) return 'none'
      calls += 1
      if (death === undefined || calls < death.call) return 'none'
      // The mutation that is still carried out is acknowledged to nobody.
      if (calls === death.call) setImmediate(() => setImmediate(() => resolve('died')))
      return calls === death.call ? death.fault : 'crashBefore'
    }
  })
  const transaction = await work({ storage, account })
  const committed = transaction.commit().then(
    () => true,
    () => false,
  )
  const answer = await Promise.race([committed, died])
  if (answer !== 'died' && death === undefined) await storage.close()
  else if (answer !== 'died') await died
  const acknowledged = answer === 'died' ? await isSettled(committed) : answer
  await inner.close()
  return { calls, id: transaction.id, acknowledged }
}

/** Whether a promise is fulfilled with true already. */
async function isSettled(promise: Promise<boolean>): Promise<boolean> {
  return await Promise.race([promise, Promise.resolve(false)])
}

/** The next start of the process, which may die at the given mutation of its own cleaning up. */
async function restart(dataDirectory: string, dieAtCall: number | undefined): Promise<void> {
  const inner = await openSqliteCellStore({ dataDirectory })
  const cellStore = new FaultyCellStore(inner)
  let calls = 0
  const died = new Promise<void>((resolve) => {
    cellStore.fault = (_call, row) => {
      if (Buffer.compare(row, ORACLE_ROW) === 0) return 'none'
      calls += 1
      if (dieAtCall === undefined || calls < dieAtCall) return 'none'
      if (calls === dieAtCall) setImmediate(() => setImmediate(resolve))
      return calls === dieAtCall ? 'crashAfter' : 'crashBefore'
    }
  })
  const opened = Storage.open(cellStore, { owner: 'exclusive', clock: dyingClock }).then(locksGone)
  // One that dies while it cleans up is never open.
  opened.catch(() => undefined)
  await Promise.race([died, opened])
  await inner.close()
}

async function locksGone(storage: Storage): Promise<void> {
  while ((await storage.inspection.locks(1)).locks.length > 0) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function assertSound(dataDirectory: string): Promise<void> {
  assert.deepEqual((await checkDataDirectory(dataDirectory)).problems, [])
}

/** Closes what is sound, and has no lock. */
async function closeSound(storage: Storage): Promise<void> {
  assert.deepEqual((await storage.checkConsistency()).problems, [])
  await locksGone(storage)
  assert.deepEqual((await storage.checkConsistency()).problems, [])
  await storage.close()
}

type Work = {
  readonly name: string
  readonly begin: (world: World) => Promise<Transaction>
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** Mutations of others that `begin` waits for: two prewrites, of the row and its note in the log, and a commit. */
  readonly mutationsOfOthers: number
}

const WORKS: readonly Work[] = [
  {
    name: 'a transaction that puts, deletes and guards rows',
    before: BEFORE,
    after: AFTER,
    mutationsOfOthers: 0,
    begin: async ({ storage, account }) => {
      const transaction = await storage.begin({ keepsOutcome: true })
      for (const line of AFTER) await putLine(transaction, account, line)
      await deleteRow(transaction, account, ['joe', null, null])
      guardRow(transaction, account, ['eve'])
      return transaction
    },
  },
  {
    name: 'a transaction that meets a conflict and rolls itself back',
    before: BEFORE.with(1, 'bob 99 short'),
    after: [],
    mutationsOfOthers: 3,
    begin: async ({ storage, account }) => {
      const transaction = await storage.begin({ keepsOutcome: true })
      const other = await storage.begin()
      await putLine(other, account, 'bob 99 short')
      await other.commit()
      for (const line of AFTER) await putLine(transaction, account, line)
      return transaction
    },
  },
]

for (const { name, begin, before, after, mutationsOfOthers } of WORKS) {
  test(`the process dies before or after each mutation of ${name}`, async (t) => {
    const world = await makeWorld(t)
    const mutations = (await dieAt(await copyOf(t, world), begin, undefined)).calls
    assert.ok(mutations > 4, 'there are mutations to die at')
    const outcomes = { committed: 0, rolledBack: 0, acknowledged: 0 }
    for (let call = 1 + mutationsOfOthers; call <= mutations; call += 1) {
      for (const fault of ['crashBefore', 'crashAfter'] as const) {
        const folder = await copyOf(t, world)
        const { id, acknowledged } = await dieAt(folder, begin, { call, fault })
        await assertSound(folder)
        // The first restarts die as well, at their first mutation, then at their second; a death before the next
        // mutation leaves the same files as one after this one.
        const restarts = fault === 'crashAfter' || call === 1 + mutationsOfOthers ? [1, 2] : []
        for (const dieAtCall of restarts) await restart(folder, dieAtCall)
        const storage = await openStorage({
          engine: 'sqlite',
          dataDirectory: folder,
          clock: dyingClock,
        })
        const account = (await tableOf(storage, 'account')) as TableDefinition
        const { kind } = await storage.outcomeOf(id, 0)
        assert.ok(kind === 'committed' || kind === 'rolledBack', kind)
        assert.ok(!acknowledged || kind === 'committed', 'what was acknowledged is committed')
        const expected = kind === 'committed' ? after : before
        assert.deepEqual(await lines({ storage, account }), expected, `${fault} ${call}: ${kind}`)
        await closeSound(storage)
        outcomes[kind] += 1
        if (acknowledged) outcomes.acknowledged += 1
      }
    }
    t.diagnostic(`${mutations} mutations: ${JSON.stringify(outcomes)}`)
    assert.ok(outcomes.rolledBack > 0)
    assert.equal(outcomes.committed > 0, after.length > 0)
  })
}

test('the process dies before or after each mutation of a CREATE TABLE', async (t) => {
  const begin = async ({ storage }: World) => {
    const transaction = await storage.begin({ keepsOutcome: true })
    const catalog = await storage.catalog(transaction)
    const definition = {
      name: 'visit',
      columns: [{ name: 'id', type: 'TEXT', notNull: true }],
      primaryKey: [{ column: 'id', descending: false }],
    }
    await createTable(transaction, catalog, definition, { ifNotExists: false })
    return transaction
  }
  const world = await makeWorld(t)
  const mutations = (await dieAt(await copyOf(t, world), begin, undefined)).calls
  assert.ok(mutations > 4, 'there are mutations to die at')
  for (let call = 1; call <= mutations; call += 1) {
    const folder = await copyOf(t, world)
    const { id } = await dieAt(folder, begin, { call, fault: 'crashAfter' })
    await assertSound(folder)
    const storage = await openStorage({
      engine: 'sqlite',
      dataDirectory: folder,
      clock: dyingClock,
    })
    const { kind } = await storage.outcomeOf(id, 0)
    assert.equal((await tableOf(storage, 'visit')) !== undefined, kind === 'committed')
    await locksGone(storage)
    await define(storage, 'another')
    await closeSound(storage)
  }
})
