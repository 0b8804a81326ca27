// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { createParser } from '../../../parser/parser.ts'
import { openStorage, systemClock } from '../../../storage/storage.ts'
import { executionDeps } from '../../../test/server/execution-deps.ts'
import { ServerError } from '../../errors/server-error.ts'
import { CursorSecrets } from '../../guard/access/cursor-secrets.ts'
import { Cursors } from '../../requests/prepared/cursor.ts'
import { RunningRequest } from '../../requests/prepared/running-request.ts'
import { StatementExecution } from '../../requests/statements/statement-execution.ts'
import { RunTransaction } from './run-transaction.ts'

async function runTransaction(t: TestContext) {
  const storage = await openStorage({ engine: 'memory' })
  const transaction = await storage.begin()
  const running = new RunningRequest()
  t.after(async () => {
    transaction.rollback()
    running.end()
    await storage.close()
  })
  const execution = new StatementExecution(executionDeps(storage))
  const secrets = new CursorSecrets(await storage.secret('cursor'), systemClock, storage.retention)
  const cursors = new Cursors(secrets, storage.history)
  const parts = { parser: createParser(), cursors, execution }
  const catalog = await storage.catalog(transaction)
  return { running, tx: new RunTransaction(parts, { transaction, catalog, running }) }
}

test('the end waits for statements that nobody waited for, and no other comes behind it', async (t) => {
  const { tx } = await runTransaction(t)
  let isAnswered = false
  tx.query('SHOW TABLES').then(() => {
    isAnswered = true
  })
  await tx.end()
  assert.ok(isAnswered)
  await assert.rejects(tx.query('SHOW TABLES'), { code: 'transaction_closed' })
})

test('a run that is told to stop runs no further statement', async (t) => {
  const { tx, running } = await runTransaction(t)
  running.abort(new ServerError('overloaded', 'The server is stopping.'))
  assert.ok(tx.signal.aborted)
  await assert.rejects(tx.query('SHOW TABLES'), { code: 'overloaded' })
})
