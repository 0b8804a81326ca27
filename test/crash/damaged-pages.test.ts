// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSqliteCellStore } from '../../storage/cells/sqlite/sqlite-cell-store.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { startTestServer } from '../server/test-server.ts'
import { testFolder } from '../test-folder.ts'
import {
  COUNT,
  endedCheckOf,
  givenFolder,
  LEAF,
  outcomesOfFlips,
  PAGE_BYTES,
  put,
  ROWS,
  SCAN,
} from './flipped-server.ts'

test('a page whose bits were flipped below a server ends the requests that need it, and nothing else', async (t) => {
  const seed = Date.now() % 1_000_000
  t.diagnostic(`seed ${seed}`)
  const random = new SeededRandomness(seed)
  const { data, flags, file, leaves } = await givenFolder(t)
  let refused = 0
  for (let round = 0; round < 6; round += 1) {
    const api = await startTestServer(t, { flags })
    // Of the kind of a page, or of where a cell begins.
    const leaf = leaves[1 + random.below(leaves.length - 2)] as number
    const at = leaf + (round % 2 === 0 ? 0 : 8 + 2 * random.below(8))
    const before = file.subarray(at, at + 1)
    await put(data, at, Uint8Array.of((before[0] as number) ^ 0x40))
    const refusedBefore = refused
    for (const _ of [1, 2]) {
      const { status, body, text } = await api.query(COUNT)
      if (status === 200) assert.deepEqual(body.results[0].rows, [{ n: ROWS }], `seed ${seed}`)
      else assert.deepEqual([status, body.code, body.table], [500, 'store_damaged', 'entry'], text)
      if (status === 500) refused += 1
    }
    assert.deepEqual(await api.rows('GET note FROM other WHERE id = 1'), [{ note: 'well' }])
    if (refused > refusedBefore) assert.deepEqual(await warningsOf(api), ['store_damaged'])
    await api.server.close()
    await put(data, at, before)
  }
  assert.ok(refused >= 6, `${refused} were refused`)
  // A start that follows a kill looks at every page, and says so before anybody needs it.
  const [leaf = 0] = leaves.slice(2)
  await put(data, leaf, Uint8Array.of(LEAF ^ 0x40))
  await writeFile(join(data, 'lock.pid'), '1\n')
  const killed = await startTestServer(t, { flags })
  const { state, began, ended, problems } = await endedCheckOf(killed)
  assert.equal(state, 'damaged')
  assert.ok(Date.parse(began) <= Date.parse(ended) && problems.length > 0, `${began} ${ended}`)
  assert.match(problems.join('\n'), /page|corrupt|malformed/i)
  assert.deepEqual(await warningsOf(killed), ['store_damaged'])
  assert.match((await killed.get('/metrics')).text, /^percolite_store_damaged 1$/m)
  await killed.server.close()
  await put(data, leaf, Uint8Array.of(LEAF))
  // What was repaired is whole again, and a start after a stop checks nothing.
  const api = await startTestServer(t, { flags })
  assert.deepEqual(await api.rows(COUNT), [{ n: ROWS }])
  const { pageCheck, warnings } = (await api.get('/v1/status')).body
  assert.deepEqual([pageCheck, warnings], [undefined, []])
})

for (const redoLog of ['never', 'always'] as const) {
  test(`a write or a flush that meets a damaged page is refused alone, with the redo log ${redoLog}`, async (t) => {
    const data = await testFolder(t, 'damaged')
    const fatal: unknown[] = []
    const open = () =>
      openSqliteCellStore({
        ...{ dataDirectory: data, redoLog, memtableCells: 4 },
        onFatal: (error) => fatal.push(error),
      })
    const keyOf = (at: number) => Buffer.from(`key ${String(at).padStart(4, '0')}`)
    const setOf = (at: number, value: string) => {
      const cell = {
        family: 'data',
        qualifier: '0',
        timestamp: 2,
        value: Buffer.from(value),
      } as const
      const mutations = [{ kind: 'setCell', ...cell } as const]
      return { row: keyOf(at), when: [], ifMatched: [], otherwise: mutations } as const
    }
    const first = await open()
    await first.applyAtomically(
      Array.from({ length: ROWS }, (_, at) => setOf(at, 'marked '.repeat(20))),
    )
    await first.close()
    const file = await readFile(join(data, 'cells.db'))
    let leaf = PAGE_BYTES
    const holds = (text: Uint8Array) => file.subarray(leaf, leaf + PAGE_BYTES).includes(text)
    while (file[leaf] !== LEAF || !holds(keyOf(300))) leaf += PAGE_BYTES
    await put(data, leaf, Uint8Array.of(LEAF ^ 0x40))
    const store = await open()
    const write = (at: number) => store.applyAtomically([setOf(at, 'new')])
    const outcomes = await Promise.allSettled([write(1), write(300), write(ROWS - 1)])
    for (let at = ROWS; at < ROWS + 40; at += 1)
      outcomes.push(...(await Promise.allSettled([write(at)])))
    const isWritten = outcomes.map(({ status }) => status === 'fulfilled')
    if (redoLog === 'never')
      assert.deepEqual(
        isWritten,
        isWritten.map((_, at) => at !== 1),
      )
    else assert.equal(isWritten[1], true)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.equal(outcome.reason.kind, 'damaged')
    }
    const [, refused] = outcomes
    if (refused?.status === 'rejected')
      assert.deepEqual(Buffer.from(refused.reason.row), keyOf(300))
    // What was acknowledged is read, from the tables or from the log.
    const written = [1, ROWS - 1, ...Array.from({ length: 40 }, (_, at) => ROWS + at)]
    const filter = [{ family: 'data' }] as const
    for (const [index, at] of written.entries()) {
      if (!isWritten[index === 0 ? 0 : index + 1]) continue
      const [row] = await store.readRows([keyOf(at)], filter)
      assert.equal(Buffer.from(row?.cells[0]?.value ?? []).toString(), 'new', `row ${at}`)
    }
    assert.equal(store.damage?.kind, 'damaged')
    assert.deepEqual(fatal, [])
    await store.close()
    if (redoLog === 'always') await assert.rejects(open(), /percolite check/)
    // Where the page is whole again, nothing that was acknowledged is missing.
    await put(data, leaf, Uint8Array.of(LEAF))
    const again = await open()
    const [row] = await again.readRows([keyOf(300)], filter)
    const value = Buffer.from(row?.cells[0]?.value ?? []).toString()
    assert.equal(value === 'new', redoLog === 'always', value)
    await again.close()
  })
}

test('a write that meets a damaged page, and a record that cannot be one, are told with their table', async (t) => {
  const { data, flags, file, leaves } = await givenFolder(t)
  const api = await startTestServer(t, { flags: { ...flags, 'redo-log': 'never' } })
  const [, , leaf = 0] = leaves
  const isDamaged = ({ status, body, text }: Awaited<ReturnType<typeof api.query>>) => {
    if (status === 200) return false
    assert.deepEqual([status, body.code, body.table], [500, 'store_damaged', 'entry'], text)
    return true
  }
  // The reader has the pages already, and the writer has not.
  assert.deepEqual(await api.rows(COUNT), [{ n: ROWS }])
  await put(data, leaf, Uint8Array.of(LEAF ^ 0x40))
  const ids = Array.from({ length: ROWS / 10 }, (_, index) => 10 * index)
  const sets = ids.map((id) => api.query(`SET note = 'new' ON entry WHERE id = ${id}`))
  const isRefused = (await Promise.all(sets)).map(isDamaged)
  const refused = ids.filter((_, index) => isRefused[index])
  assert.ok(refused.length > 0 && refused.length < ids.length, `${refused} were refused`)
  await put(data, leaf, Uint8Array.of(LEAF))
  const transaction = `/v1/transactions/${await api.begin()}`
  const sql = `SET note = 'new' ON entry WHERE id = ${refused[0]}`
  assert.equal((await api.post(`${transaction}/query`, { sql })).status, 200)
  await put(data, leaf, Uint8Array.of(LEAF ^ 0x40))
  assert.ok(isDamaged(await api.post(`${transaction}/commit`)))
  await api.server.close()
  await writeFile(join(data, 'cells.db'), file)
  // Each byte before a text: its length, its kind, the format of the row, the kind of the record and its timestamp.
  const cell = leaf + file.readUInt16BE(leaf + 8)
  const text = file.indexOf('marked marked', cell)
  let told = 0
  for (let byte = text - 13; byte < text; byte += 1) {
    await put(data, byte, Uint8Array.of((file[byte] as number) ^ 0x40))
    const server = await startTestServer(t, { flags })
    const answer = await server.query(SCAN)
    if (isDamaged(answer)) {
      told += 1
      assert.deepEqual(await warningsOf(server), ['store_damaged'])
      assert.match((await server.get('/metrics')).text, /^percolite_store_damaged 1$/m)
    }
    await server.server.close()
    await put(data, byte, file.subarray(byte, byte + 1))
  }
  assert.ok(told >= 4, `${told} were told`)
})

test('no count and no row is wrong after flipped bits that SQLite can tell of', async (t) => {
  const seed = Number(process.env.FLIP_SEED ?? Date.now() % 1_000_000)
  t.diagnostic(`FLIP_SEED=${seed}`)
  const rounds = Number(process.env.FLIPS ?? 4)
  const counts = await outcomesOfFlips(t, rounds, new SeededRandomness(seed))
  t.diagnostic(JSON.stringify(counts))
})

async function warningsOf(api: Awaited<ReturnType<typeof startTestServer>>): Promise<string[]> {
  const { body } = await api.get('/readyz')
  return body.warnings.map(({ code }: { code: string }) => code)
}
