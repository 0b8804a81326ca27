// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'

const LOOK_MS = 5_000

for (const file of ['cells.db', 'cells.db-wal', 'cells.db-shm', 'lock.db']) {
  for (const way of ['removed', 'replaced'] as const) {
    test(`${file} is ${way}: the next look refuses writes, and reads go on`, async (t) => {
      const data = await testFolder(t, 'store-lost')
      const clock = new ManualClock()
      const server = await startTestServer(t, {
        flags: { engine: 'sqlite', data },
        deps: { clock },
      })
      await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY)')
      await server.query('INSERT INTO item (id) VALUES (1)')
      await clock.advance(LOOK_MS)
      assert.equal((await server.get('/readyz')).status, 200)
      const path = join(data, file)
      if (way === 'removed') rmSync(path)
      else {
        writeFileSync(`${path}.other`, readFileSync(path))
        renameSync(`${path}.other`, path)
      }
      await clock.advance(LOOK_MS)
      await server.server.storeLost
      for (const sql of ['INSERT INTO item (id) VALUES (2)', 'DELETE FROM item WHERE id = 1']) {
        const { status, body } = await server.query(sql)
        assert.deepEqual([status, body.code, body.retryable], [503, 'store_lost', false], sql)
      }
      assert.equal((await server.get('/readyz')).body.code, 'store_lost')
      assert.equal((await server.get('/healthz')).status, 200)
      assert.deepEqual(await server.rows('GET * FROM item WHERE id = 1'), [{ id: 1 }])
      // What stands there now may be another owner's.
      await server.server.close()
      assert.equal(readFileSync(join(data, 'lock.pid'), 'utf8'), `${process.pid}\n`)
    })
  }
}
