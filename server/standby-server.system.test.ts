// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { openStorage } from '../storage/storage.ts'
import { openSocket } from '../test/server/socket-client.ts'
import { QueryClient, until } from '../test/standby/query-client.ts'
import { StandbyPair } from '../test/standby/standby-pair.ts'

test('a standby begins in an empty folder, reads what the primary has, and refuses writes with its address', async (t) => {
  const pair = await StandbyPair.open(t)
  await pair.at.rows("INSERT INTO note (id, text) VALUES (1, 'one'), (2, 'two')")
  await pair.startStandby()
  const all = 'SCAN * FROM note'
  const rows = [
    { id: 1, text: 'one' },
    { id: 2, text: 'two' },
  ]
  assert.deepEqual(await pair.atStandby.rows(all), rows)
  assert.deepEqual(await pair.atStandby.rows('GET text FROM note WHERE id = 2'), [{ text: 'two' }])
  const writes = [
    "INSERT INTO note (id, text) VALUES (3, 'three')",
    'CREATE TABLE other (id INTEGER PRIMARY KEY)',
    'CREATE TOKEN more ROLE admin EXPIRES IN 1 DAY',
    'ROTATE SECRET cursor',
  ]
  for (const sql of writes) {
    const { status, body } = await pair.atStandby.query(sql)
    assert.deepEqual([status, body.code, body.primary], [421, 'not_primary', pair.primaryUrl], sql)
  }
  assert.deepEqual(await pair.at.rows(all), rows)
  const { body } = await pair.atStandby.send('/v1/replication')
  assert.equal(body.role, 'standby')
  assert.equal(body.standby.primary, pair.primaryUrl)
  const ready = await pair.atStandby.send('/readyz')
  assert.deepEqual([ready.status, ready.body.standby.groupsBehind], [200, 0])
  const { body: status } = await pair.atStandby.send('/v1/status')
  assert.equal(status.standby.phase, 'following')
  await until(() => pair.standby?.state.connected === true, 'the first answer')
  const { body: figures } = await pair.atStandby.send('/metrics')
  assert.equal(/^percolite_standby_connected (\d)$/m.exec(figures)?.[1], '1')
})

test('a warm standby sees each kind of change', async (t) => {
  const pair = await StandbyPair.open(t)
  const { at } = pair
  await pair.startStandby()
  const standby = pair.atStandby
  // Warm: what is read now is in memory when it changes.
  assert.deepEqual(await standby.rows('SCAN * FROM note'), [])
  await at.rows("INSERT INTO note (id, text) VALUES (1, 'one')")
  await standby.untilRows('GET * FROM note WHERE id = 1', [{ id: 1, text: 'one' }])
  await at.rows("SET text = 'uno' ON note WHERE id = 1")
  await standby.untilRows('GET * FROM note WHERE id = 1', [{ id: 1, text: 'uno' }])

  await at.rows('CREATE TABLE later (id INTEGER PRIMARY KEY)')
  await at.rows('INSERT INTO later (id) VALUES (7)')
  await standby.untilRows('SCAN * FROM later', [{ id: 7 }])

  await at.rows('CREATE ROLE reader; GRANT READ ON note TO reader')
  const [made] = await at.rows('CREATE TOKEN reader ROLE reader EXPIRES IN 9 DAYS')
  const reader = new QueryClient(standby.url, made.token)
  const text = 'GET text FROM note WHERE id = 1'
  await reader.untilRows(text, [{ text: 'uno' }])

  await at.rows("REVOKE READ ON note FROM reader; GRANT READ ON note TO reader WHERE text = 'no'")
  await reader.untilRows(text, [])

  const paged = '/v1/tables/note/rows?limit=1'
  await at.rows("INSERT INTO note (id, text) VALUES (2, 'two')")
  await pair.caughtUp()
  const { body: first } = await at.send(paged)
  await at.rows('ROTATE SECRET cursor')
  const { body: signed } = await at.send(paged)
  for (const { cursor } of [first, signed]) {
    assert.equal(typeof cursor, 'string')
    await until(async () => {
      const { status } = await standby.send(`${paged}&cursor=${encodeURIComponent(cursor)}`)
      return status === 200
    }, 'the standby to take the cursor')
  }

  await at.rows('DROP TOKEN reader')
  await until(async () => (await reader.query(text)).status === 401, 'the token to be refused')
})

test('a read that demands a timestamp of the primary waits until the standby has it', async (t) => {
  const pair = await StandbyPair.open(t)
  await pair.startStandby()
  for (let id = 0; id < 20; id += 1) {
    const { body } = await pair.at.query(`INSERT INTO note (id, text) VALUES (${id}, 'x')`)
    const least = { 'percolite-min-timestamp': String(body.commitTimestamp) }
    const answer = await pair.atStandby.query(`GET id FROM note WHERE id = ${id}`, least)
    assert.deepEqual(answer.body.results?.[0].rows, [{ id }], JSON.stringify(answer.body))
    assert.ok(answer.body.readTimestamp >= body.commitTimestamp)
  }
  await pair.stopPrimary()
  const soon = pair.standby?.current.storage.standby?.visible ?? 0
  const least = { 'percolite-min-timestamp': String(soon + 1_000) }
  const late = { sql: 'GET id FROM note WHERE id = 1', timeoutMs: 300 }
  const { status, body } = await pair.atStandby.send('/v1/query', late, 'POST', least)
  assert.deepEqual([status, body.code], [503, 'behind'])
})

test('what the standby has, it reads as of a moment, exports and backs up', async (t) => {
  const pair = await StandbyPair.open(t)
  const backups = join(pair.folder, 'backups')
  await pair.at.rows("INSERT INTO note (id, text) VALUES (1, 'one')")
  const { body } = await pair.at.query("SET text = 'uno' ON note WHERE id = 1")
  const before = body.commitTimestamp - 1
  await pair.startStandby(undefined, { backups })
  const standby = pair.atStandby
  const asOf = { sql: 'GET text FROM note WHERE id = 1', asOf: before }
  const { body: past } = await standby.send('/v1/query', asOf)
  assert.deepEqual(past.results[0].rows, [{ text: 'one' }])
  const { status } = await standby.send('/v1/backups', { name: 'mine' })
  assert.equal(status, 202)
  await until(async () => {
    const { body: made } = await standby.send('/v1/backups/mine')
    assert.notEqual(made.state, 'failed', made.detail)
    return made.manifest?.check?.sound === true
  }, 'the backup')
})

test('subscriptions at a standby get the commits of the primary, and end where it is opened again', async (t) => {
  const pair = await StandbyPair.open(t)
  await pair.startStandby()
  const { port } = new URL(pair.atStandby.url)
  const headers = { authorization: `Bearer ${pair.adminToken}` }
  const client = await openSocket(t, Number(port), { headers })
  const subscribed = await client.subscribe('s', 'SCAN * FROM note')
  assert.equal(subscribed.type, 'subscribed', JSON.stringify(subscribed))
  for (const id of [1, 2, 3]) {
    const { body } = await pair.at.query(`INSERT INTO note (id, text) VALUES (${id}, 'x')`)
    const change = await client.next((frame) => frame.id === 's' && frame.type === 'change')
    const keys = change.changes.map(({ key }: { readonly key: unknown }) => key)
    assert.deepEqual([keys, change.commitTimestamp], [[[id]], body.commitTimestamp])
  }
  await pair.atStandby.send('/v1/replication/promote', undefined, 'POST')
  const { code } = await client.closed()
  assert.equal(code, 1001)
})

test('a standby that is stopped goes on where it was, and one whose groups are gone copies by itself', async (t) => {
  const pair = await StandbyPair.open(t)
  await pair.startStandby()
  await pair.stopStandby()
  await pair.at.rows("INSERT INTO note (id, text) VALUES (1, 'one')")
  await pair.startStandby()
  const one = [{ id: 1, text: 'one' }]
  await pair.atStandby.untilRows('SCAN * FROM note', one)
  assert.equal(pair.standby?.state.copies, 0)
  await pair.stopStandby()

  // As after more than is kept: the primary starts without any of the groups.
  await pair.stopPrimary()
  rmSync(join(pair.primaryFolder, 'groups'), { recursive: true })
  await pair.startPrimary()
  await pair.at.rows("INSERT INTO note (id, text) VALUES (2, 'two')")
  await pair.startStandby()
  assert.deepEqual(await pair.atStandby.rows('SCAN * FROM note'), one)
  await pair.atStandby.untilRows('SCAN * FROM note', [...one, { id: 2, text: 'two' }])
  assert.equal(pair.standby?.state.copies, 1)
  await pair.at.rows("INSERT INTO note (id, text) VALUES (3, 'three')")
  await pair.atStandby.untilRows('GET id FROM note WHERE id = 3', [{ id: 3 }])
  assert.ok(!readdirSync(pair.standbyFolder).includes('cells.db.copy'))
})

test('the store of a primary that has lost its own replaces nothing', async (t) => {
  const pair = await StandbyPair.open(t)
  await pair.at.rows("INSERT INTO note (id, text) VALUES (1, 'one')")
  await pair.startStandby()
  await pair.caughtUp()
  await pair.stopPrimary()
  rmSync(pair.primaryFolder, { recursive: true })
  await pair.startPrimary()
  await until(() => pair.lines.some(({ msg }) => /another store/.test(msg)), 'a line about it')
  assert.deepEqual(await pair.atStandby.rows('SCAN id FROM note'), [{ id: 1 }])
  assert.equal(pair.standby?.state.copies, 1)
})

test('the folder of a standby is no primary by accident, and that of a primary no standby', async (t) => {
  const pair = await StandbyPair.open(t)
  await pair.startStandby()
  await pair.stopStandby()
  const dataDirectory = pair.standbyFolder
  await assert.rejects(openStorage({ engine: 'sqlite', dataDirectory }), {
    code: 'data_directory_unusable',
    message: /is a standby of http.*percolite promote --data/,
  })
  rmSync(join(dataDirectory, 'standby.json'))
  await assert.rejects(pair.startStandby(), {
    code: 'data_directory_unusable',
    message: /is no copy of http/,
  })
})

test('a primary that begins again gives its epoch to the standby, which stays at its address', async (t) => {
  const pair = await StandbyPair.open(t)
  await pair.startStandby()
  const { url } = pair.atStandby
  await pair.stopPrimary()
  await pair.startPrimary()
  await pair.at.rows("INSERT INTO note (id, text) VALUES (1, 'one')")
  const historyAt = async (client: QueryClient) =>
    (await client.send('/healthz').catch(() => undefined))?.headers.get('percolite-history')
  const wanted = await historyAt(pair.at)
  await until(async () => (await historyAt(pair.atStandby)) === wanted, 'the new epoch')
  await pair.atStandby.untilRows('SCAN id FROM note', [{ id: 1 }])
  assert.equal(pair.atStandby.url, url)
  assert.equal(pair.standby?.state.copies, 1)
})

test('a primary that lives is told of the promotion, serves nothing more, and follows in its turn', async (t) => {
  const pair = await StandbyPair.open(t)
  await pair.at.rows("INSERT INTO note (id, text) VALUES (1, 'one')")
  await pair.startStandby()
  await pair.caughtUp()
  await pair.atStandby.send('/v1/replication/promote', undefined, 'POST')
  await until(async () => {
    const { status, body } = await pair.at.query('SCAN id FROM note')
    return status === 503 && body.code === 'superseded' && body.primary === pair.atStandby.url
  }, 'the former primary to serve nothing')
  await pair.atStandby.rows("INSERT INTO note (id, text) VALUES (2, 'two')")
  const newUrl = pair.atStandby.url
  await pair.stopPrimary()
  const former = await pair.startFormer(newUrl)
  const rows = [{ id: 1 }, { id: 2 }]
  await former.untilRows('SCAN id FROM note', rows)
})

test('a promoted standby takes writes at the same address, and no one else promotes a primary', async (t) => {
  const pair = await StandbyPair.open(t)
  await pair.at.rows("INSERT INTO note (id, text) VALUES (1, 'one')")
  await pair.startStandby()
  await pair.caughtUp()
  const refused = await pair.at.send('/v1/replication/promote', undefined, 'POST')
  assert.deepEqual([refused.status, refused.body.code], [409, 'not_standby'])
  const before = (await pair.atStandby.send('/healthz')).headers.get('percolite-history')
  await pair.stopPrimary()
  const promoted = await pair.atStandby.send('/v1/replication/promote', undefined, 'POST')
  assert.deepEqual([promoted.status, promoted.body.primary], [202, pair.primaryUrl])
  await until(async () => {
    const answer = await pair.atStandby.send('/v1/replication').catch(() => undefined)
    return answer?.body.role === 'primary'
  }, 'the promotion')
  assert.ok(!existsSync(join(pair.standbyFolder, 'standby.json')))
  await pair.atStandby.rows("INSERT INTO note (id, text) VALUES (2, 'two')")
  const after = (await pair.atStandby.send('/healthz')).headers.get('percolite-history')
  assert.notEqual(after, before)
  await pair.stopStandby()
  const storage = await openStorage({ engine: 'sqlite', dataDirectory: pair.standbyFolder })
  await storage.close()
})
