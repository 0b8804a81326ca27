// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { checkDataDirectory } from '../../storage/operations/operations.ts'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'
import { BankClient, until } from './bank-client.ts'
import { CalledFunctions } from './called-functions.ts'

/**
 * Servers with `--commit two-phase` do what section 2 of the paper describes. Their answers show the cells of Figure 4,
 * also of transactions that stop halfway, and their coverage shows that every function is called that
 * `docs/percolator.md` names.
 */

const STOPPED_COMMIT = new URL('./stopped-commit.ts', import.meta.url).href
const OBSERVERS = fileURLToPath(new URL('./page-observers.ts', import.meta.url))
const PAGE = readFileSync(new URL('../../docs/percolator.md', import.meta.url), 'utf8')
const FLAGS = ['--commit', 'two-phase', '--drain', '0s', '--observers', OBSERVERS]

const TABLES = 2

/** The rows of its tables: a step, a file, and a function in that file. */
const STEPS = PAGE.split('\n').flatMap((line) => {
  const [, step = '', path = '', name = ''] = /^\| (.*) \| `(.*)` \| `(.*)` \|$/.exec(line) ?? []
  return step === '' ? [] : [{ step, path, name }]
})

const OPENING = [
  'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER, note TEXT)',
  'CREATE TABLE seen (id TEXT PRIMARY KEY, balance INTEGER)',
  'CREATE TABLE hinted (id TEXT PRIMARY KEY, runs INTEGER)',
  "INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2)",
]

/** A folder with the accounts of Figure 4, in which servers are started one after the other. */
class Scene {
  readonly #t: TestContext
  readonly #folder: string

  constructor(t: TestContext, folder: string) {
    this.#t = t
    this.#folder = folder
  }

  /** A server whose calls are counted where `isCovered`. */
  async start(isCovered: boolean, flags: readonly string[] = []) {
    const counted = { NODE_V8_COVERAGE: this.#coverage, NODE_DISABLE_COMPILE_CACHE: '1' }
    const server = await ServerProcess.start(this.data, [...FLAGS, ...flags], {
      preloaded: STOPPED_COMMIT,
      env: { STOP_COMMIT_FILE: this.#stopFile, ...(isCovered ? counted : {}) },
    })
    this.#t.after(() => server.killNine())
    return { server, bank: new BankClient(server.url) }
  }

  /** Where commits stop from now on, in the words of `stopped-commit.ts`. */
  stopCommitsAt(where: 'hold' | 'primary' | 'secondaries' | 'nowhere'): void {
    writeFileSync(this.#stopFile, where)
  }

  letSweep(): void {
    rmSync(this.#stopFile)
  }

  get called(): CalledFunctions {
    return new CalledFunctions(this.#coverage)
  }

  get data(): string {
    return join(this.#folder, 'data')
  }

  get #coverage(): string {
    return join(this.#folder, 'coverage')
  }

  get #stopFile(): string {
    return join(this.#folder, 'stop')
  }
}

test('with --commit two-phase each step of docs/percolator.md is called', async (t) => {
  const scene = new Scene(t, await testFolder(t, 'percolator-page'))

  await t.test('a transfer is killed after its prewrite: its locks are cells', async () => {
    const { server, bank } = await scene.start(false)
    for (const sql of OPENING) await bank.run(sql)
    scene.stopCommitsAt('hold')
    void bank.transfer().catch(() => undefined)
    await until('both rows are locked', async () => {
      const counts = await Promise.all([bank.counts('bob'), bank.counts('joe')])
      return counts.every(([locks]) => locks === 1)
    })
    const [bob, joe] = [await bank.cells('bob'), await bank.cells('joe')]
    assert.deepEqual([bob.lock[0].isPrimary, joe.lock[0].isPrimary], [true, false])
    assert.deepEqual(joe.lock[0].primary, { table: 'account', key: ['bob'], column: '0' })
    // As in step 3 of Figure 4: the new values are there, and no write record names them.
    assert.deepEqual([bob.data[0].row.balance, joe.data[0].row.balance], [3, 9])
    assert.deepEqual([bob.data[0].timestamp, bob.write.length], [bob.lock[0].timestamp, 1])
    await server.killNine()
    scene.letSweep()
  })

  const { server, bank } = await scene.start(true)

  await t.test('after the restart it is rolled back, though nobody reads the rows', async () => {
    await until('no lock is left', async () => {
      const { body } = await bank.get('/v1/locks')
      return body.locks.length === 0
    })
    assert.deepEqual(await bank.counts('bob'), [0, 1, 1])
    assert.deepEqual(await bank.counts('joe'), [0, 1, 0])
  })

  await t.test('a transfer stops before its commit point: a reader rolls it back', async () => {
    scene.stopCommitsAt('primary')
    const { body } = await bank.transfer()
    assert.equal(body.code, 'commit_outcome_unknown')
    assert.deepEqual(await bank.counts('bob'), [1, 1, 1])
    assert.deepEqual(await bank.counts('joe'), [1, 1, 0])
    scene.stopCommitsAt('nowhere')
    assert.deepEqual(await bank.balances(), [10, 2])
    await until('the locks are gone', async () => (await bank.counts('joe'))[0] === 0)
    assert.deepEqual(await bank.counts('bob'), [0, 1, 2])
    assert.deepEqual(await bank.counts('joe'), [0, 1, 0])
  })

  await t.test('a transfer stops after its commit point: a reader rolls it forward', async () => {
    scene.stopCommitsAt('secondaries')
    const { status, body } = await bank.transfer()
    assert.equal(status, 200)
    assert.deepEqual(await bank.counts('bob'), [0, 2, 2])
    assert.deepEqual(await bank.counts('joe'), [1, 1, 0])
    scene.stopCommitsAt('nowhere')
    assert.deepEqual(await bank.balances(), [3, 9])
    await until('the lock is gone', async () => (await bank.counts('joe'))[0] === 0)
    const { write } = await bank.cells('joe')
    assert.deepEqual([write.length, write[0].timestamp], [2, body.commitTimestamp])
    scene.letSweep()
  })

  await t.test('of two transactions that write one row the second conflicts', async () => {
    const writes = `GET * FROM account WHERE id = 'bob';
      SET note = '${'x'.repeat(2_000)}' ON account WHERE id = 'bob'`
    const [first, second] = [await bank.begin(writes), await bank.begin(writes)]
    assert.equal((await bank.post(`${first}/commit`)).status, 200)
    const { status, body } = await bank.post(`${second}/commit`)
    assert.deepEqual([status, body.code], [409, 'write_conflict'])
    assert.equal((await bank.get(first)).body.status, 'committed')
    const guarding = await bank.begin(`GET note FROM account WHERE id = 'bob' FOR UPDATE;
      SET balance = 10 ON account WHERE id = 'joe'`)
    assert.equal((await bank.post(`${guarding}/commit`)).status, 200)
    assert.equal((await bank.cells('bob')).guard.length, 1)
  })

  await t.test('a subscriber is sent a commit', async () => {
    const change = await bank.changeAfter(() => bank.transfer())
    assert.equal(change.changes.length, 2)
  })

  await t.test('observers run, also for hints', async () => {
    await bank.run('CREATE OBSERVER copy ON account (balance)')
    await bank.run('CREATE WEAK OBSERVER hint ON seen (balance)')
    await bank.transfer()
    await bank.run(`NOTIFY hint ON seen WHERE id = 'all'`)
    await until('what they write is there', async () => {
      const [seen, hinted] = [
        await bank.run('SCAN * FROM seen'),
        await bank.run('SCAN * FROM hinted'),
      ]
      return seen.map(({ balance }) => balance).join() === '-11,24' && hinted.length === 3
    })
    await until('the notify cells are gone', async () => {
      const { body } = await bank.get('/v1/observers')
      return body.observers.every(({ pending }: { pending: number }) => pending === 0)
    })
  })

  assert.equal(await server.stop(), 0)

  await t.test('old versions are collected', async () => {
    const later = await scene.start(true, ['--garbage-interval', '1s'])
    // The first start of the store has said how long versions are kept.
    await later.bank.run("ALTER STORE SET retention = '1 second'")
    await until('a collection has deleted versions', async () => {
      const { body } = await later.bank.get('/v1/status')
      return body.lastCollection?.rowsCollected > 0
    })
    const { write } = await later.bank.cells('bob')
    assert.equal(write.filter(({ column }: { column: string }) => column === '0').length, 1)
    assert.equal(await later.server.stop(), 0)
    assert.deepEqual((await checkDataDirectory(scene.data)).problems, [])
  })

  await t.test('every function that the page names is called', () => {
    const { called } = scene
    const lines = PAGE.split('\n').filter((line) => line.startsWith('| '))
    assert.equal(STEPS.length, lines.length - TABLES, 'every row names one function of one file')
    assert.deepEqual(
      STEPS.filter(({ path, name }) => called.calls(path, name) === 0).map(({ step }) => step),
      [],
    )
  })
})
