// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { connect } from '../../client-sdk/client.ts'
import { SeededRandomness } from '../../test/seeded-randomness.ts'
import { startTestServer } from '../../test/server/test-server.ts'
import { Brokerage } from './brokerage.ts'

const CLI = fileURLToPath(new URL('../cli.ts', import.meta.url))

describe('percolite demo', () => {
  it('tells what to type, every command of it works, and Ctrl-C ends it', async (t) => {
    const child = spawn(process.execPath, [CLI, 'demo', '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => child.kill('SIGKILL'))
    let output = ''
    child.stdout.setEncoding('utf8')
    for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
      output += chunk
      if (output.includes('/docs ')) break
    }
    child.stdout.resume()
    const url = /brokerage at (\S+),/.exec(output)?.[1] ?? assert.fail(output)
    const db = connect({ url })
    for await (const rows of db.live('SCAN * FROM trade USE PRIMARY KEY'))
      if (rows.length > 1) break
    const statements = [...output.matchAll(/-d "(.*)"$/gm)].map(([, sql]) => sql as string)
    assert.equal(statements.length, 3)
    for (const [line] of output.matchAll(/^ {2}curl [^#]*/gm)) {
      assert.doesNotMatch(
        line.replaceAll(/"[^"]*"/g, ''),
        /[?*&]/,
        'zsh takes it as it stands, too',
      )
    }
    for (const sql of statements) await db.query(sql)
    for (const [path] of output.matchAll(/(?<=:\d+)\/(v1\/tables|docs)\S*/g)) {
      assert.equal((await fetch(url + path)).status, 200, path)
    }
    db.close()
    child.kill('SIGINT')
    const [code] = await once(child, 'close')
    assert.equal(code, 0)
  })

  it('neither makes nor loses a cent: what customers have paid is what trades have cost', async (t) => {
    const seed = Date.now() % 1e6
    t.diagnostic(`seed ${seed}`)
    const { server } = await startTestServer(t)
    const { url } = await server.listen()
    const db = connect({ url })
    const randomness = new SeededRandomness(seed)
    const brokerage = await Brokerage.create(db, () => randomness.fraction())
    for (let count = 0; count < 60; count += 1) await brokerage.trade()
    const { rows } = await db.query<{ cash: string; least: string }>(
      'SCAN SUM(cash) AS cash, MIN(cash) AS least FROM customer',
    )
    const trades = await db.query<{ left: string; trades: number }>(
      'SCAN 100000 - SUM(quantity * price) AS left, COUNT(*) AS trades FROM trade',
    )
    assert.ok((trades.rows[0]?.trades ?? 0) > 20)
    assert.equal(rows[0]?.cash, trades.rows[0]?.left)
    assert.ok(Number(rows[0]?.least ?? -1) >= 0)
    const held = await db.query<{ least: number }>('SCAN MIN(quantity) AS least FROM holding')
    assert.ok((held.rows[0]?.least ?? -1) >= 0)
  })
})
