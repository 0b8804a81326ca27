// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { connect } from '../client-sdk/client.ts'
import { ServerProcess } from './server/server-process.ts'
import { testFolder } from './test-folder.ts'

/** `npm run test:long` runs this with a million rows. */
const ROWS = Number(process.env.MEMORY_ROWS ?? 60_000)
const BATCH = 1_000
const RESIDENT_MIB_MAX = 400
/** Garbage that was not collected yet; what grows with the rows is far more at a million of them. */
const GROWTH_MIB_MAX = 120

test(`memory stays flat while ${ROWS} rows of 100 bytes are inserted, scanned and streamed`, async (t) => {
  const dataDirectory = await testFolder(t, 'memory')
  const server = await ServerProcess.start(dataDirectory)
  try {
    const db = connect({ url: server.url })
    await db.query('CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT NOT NULL)')
    const tuples = Array.from({ length: BATCH }, (_, row) => `($${2 * row + 1}, $${2 * row + 2})`)
    const insert = `INSERT INTO item (id, body) VALUES ${tuples.join(', ')}`
    const resident: number[] = []
    for (let start = 0; start < ROWS; start += BATCH) {
      const params = Array.from({ length: BATCH }, (_, row) => [start + row, 'x'.repeat(90)]).flat()
      await db.query(insert, params)
      if (start % (ROWS / 10) === 0) {
        const now = server.residentMiB()
        if (now === undefined) return t.skip('this system does not tell a process’ memory')
        resident.push(now)
        t.diagnostic(`${start + BATCH} rows inserted, ${now.toFixed(0)} MiB resident`)
      }
    }
    let scanned = 0
    for await (const { id } of db.scan<{ id: number }>('SCAN id, body FROM item')) {
      assert.equal(id, scanned)
      scanned += 1
      if (scanned % (ROWS / 5) !== 0) continue
      resident.push(server.residentMiB() ?? 0)
      t.diagnostic(`${scanned} rows scanned, ${resident.at(-1)?.toFixed(0)} MiB resident`)
    }
    assert.equal(scanned, ROWS)
    const answer = await fetch(`${server.url}/v1/query?format=ndjson`, {
      method: 'POST',
      body: 'SCAN id, body FROM item',
    })
    let streamed = 0
    for await (const chunk of answer.body ?? []) {
      streamed += chunk.length
      // A reader who is slower than the server by far.
      for (let turn = 0; turn < 50; turn += 1) await setImmediate()
      if (streamed % 64 === 0) resident.push(server.residentMiB() ?? 0)
    }
    resident.push(server.residentMiB() ?? 0)
    assert.ok(streamed > ROWS * 100, `${streamed} bytes`)
    t.diagnostic(`${streamed} bytes streamed, ${resident.at(-1)?.toFixed(0)} MiB resident`)
    const warm = resident[2] ?? 0
    assert.ok(Math.max(...resident) < RESIDENT_MIB_MAX, `at most ${RESIDENT_MIB_MAX} MiB`)
    assert.ok(
      Math.max(...resident) - warm < GROWTH_MIB_MAX,
      `grows by ${GROWTH_MIB_MAX} MiB at most`,
    )
  } finally {
    await server.stop()
  }
})
