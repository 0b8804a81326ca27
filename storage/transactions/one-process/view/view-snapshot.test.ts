// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rowKey } from '../../../../test/storage/cell-notation.ts'
import { COLUMN, EmbeddedWorld, stateOf } from '../../../../test/storage/embedded-world.ts'
import { InvariantViolation } from '../../../invariant.ts'
import { nextTurn } from '../../../turns/turns.ts'

const BEFORE = ['bob write@6 -> 5 put 10', 'joe write@6 -> 5 put 2', 'zoe write@6 -> 5 put 1']

async function given(...lines: string[]): Promise<EmbeddedWorld> {
  const world = new EmbeddedWorld(7)
  await world.given(...BEFORE, ...lines)
  return world
}

describe('a read of rows', () => {
  test('sees the newest version at or below the snapshot, and no deleted one', async () => {
    const world = await given('bob write@4 -> 3 put 5', 'joe write@7 -> 6 delete')
    assert.equal(await world.read('bob', 5), '5')
    assert.equal(await world.read('bob', 6), '10')
    assert.equal(await world.read('joe', 7), null)
    assert.equal(await world.read('nobody', 7), null)
  })

  test('asks the view for write records and for nothing else', async () => {
    const world = await given()
    const asked: string[] = []
    const { view } = world.store
    const { readRows } = view
    view.readRows = (keys, filter) => {
      asked.push(...filter.map(({ family }) => family))
      return readRows.call(view, keys, filter)
    }
    await world.beginAt(7).getRows([rowKey('bob'), rowKey('joe')], [COLUMN])
    assert.deepEqual(new Set(asked), new Set(['write']))
  })

  test('does not ask the view for a row again that was read or committed since', async () => {
    const world = await given()
    let asked = 0
    const { view } = world.store
    const { readRows } = view
    view.readRows = (keys, filter) => {
      asked += keys.length
      return readRows.call(view, keys, filter)
    }
    const readBoth = (readTs: number) =>
      world.beginAt(readTs).getRows([rowKey('bob'), rowKey('joe')], [COLUMN])
    assert.equal(await world.read('bob', 8), '10')
    assert.equal(await world.read('bob', 9), '10')
    assert.equal(asked, 1)
    assert.equal((await readBoth(9))[1]?.columns.get(COLUMN)?.commitTs, 6)
    assert.equal(asked, 2)
    while (world.oracle.lastSeen() < 9) world.oracle.take()
    const committed = world.commitAt(9, { bob: '3' })
    await world.store.apply()
    const { commitTs } = await committed
    const values = (await readBoth(commitTs ?? 0)).map((row) => row?.columns.get(COLUMN)?.value)
    assert.deepEqual(values.map(String), ['3', '2'])
    assert.equal(asked, 2)
    assert.equal(await world.read('bob', 9), '10')
    assert.equal(asked, 3)
  })

  test('that finds its row is answered at once', async () => {
    const world = await given()
    const answer = world.beginAt(7).getRow(rowKey('bob'), [COLUMN])
    assert.ok(!(answer instanceof Promise))
    assert.equal(Buffer.from(answer?.columns.get(COLUMN)?.value ?? []).toString(), '10')
  })

  test('is refused below the safe point, also where nothing is found', async () => {
    const world = await given()
    world.oracle.safePoint = 8
    assert.equal(await stateOf(world.read('bob', 7)), 'snapshot_too_old')
    assert.equal(await stateOf(world.read('nobody', 7)), 'snapshot_too_old')
  })

  test('looks at the safe point again after it has waited', async () => {
    const world = await given()
    void world.commitAt(7, { bob: '3' })
    const refused = assert.rejects(world.read('bob', 8), { code: 'snapshot_too_old' })
    world.oracle.safePoint = 9
    await world.store.apply()
    await refused
  })

  test('of several rows waits for the latch of any of them', async () => {
    const world = await given()
    void world.commitAt(7, { joe: '3' })
    const rows = world.beginAt(8).getRows([rowKey('bob'), rowKey('joe')], [COLUMN])
    assert.ok(rows instanceof Promise)
    assert.equal(await stateOf(rows), 'waits')
    await world.store.apply()
    assert.equal(Buffer.from((await rows)[1]?.columns.get(COLUMN)?.value ?? []).toString(), '3')
  })

  test('does not wait for the latch of a guard, which changes no value', async () => {
    const world = await given()
    const guarding = world.beginAt(7)
    guarding.guard(rowKey('joe'), COLUMN)
    guarding.put(rowKey('bob'), COLUMN, Buffer.from('3'))
    void guarding.commit()
    assert.equal(await world.read('joe', 8), '2')
  })

  test('reads long values in the turn that read the record', async () => {
    const long = 'x'.repeat(2_000)
    const world = await given(`sue data@5 = ${long}`, 'sue write@6 -> 5 data 1000')
    assert.equal(await world.read('sue', 7), long)
  })

  test('reads more long values than fit one turn a part at a time, and checks the fence each time', async () => {
    const world = await given()
    const names = ['a', 'b', 'c']
    for (const name of names) {
      await world.given(`${name} data@5 = ${name.repeat(3_000_000)}`)
      await world.given(`${name} write@6 -> 5 data 3000000`)
    }
    const keys = names.map((name) => rowKey(name))
    const rows = await world.beginAt(7).getRows(keys, [COLUMN])
    assert.deepEqual(
      rows.map((row) => row?.columns.get(COLUMN)?.value.length),
      [3e6, 3e6, 3e6],
    )
    const late = assert.rejects(async () => world.beginAt(7).getRows(keys, [COLUMN]), {
      code: 'snapshot_too_old',
    })
    world.oracle.safePoint = 8
    await late
  })

  test('of a record without its value is damage, never absence', async () => {
    const world = await given('sue write@6 -> 5 data 1000')
    const error = await world.read('sue', 7).catch((thrown: unknown) => thrown)
    assert.ok(error instanceof InvariantViolation && error.rule === 'I5')
  })
})

describe('a scan', () => {
  test('waits for a row that is just being inserted and is not in the view', async () => {
    const world = await given()
    void world.commitAt(7, { eve: '3' })
    const rows = world.scan(8, 'a', 'z')
    assert.equal(await stateOf(rows), 'waits')
    await world.store.apply()
    assert.deepEqual(await rows, ['bob=10', 'eve=3', 'joe=2'])
  })

  test('waits in reverse as well', async () => {
    const world = await given()
    void world.commitAt(7, { eve: '3' })
    const rows = world.scan(8, 'a', 'z', true)
    assert.equal(await stateOf(rows), 'waits')
    await world.store.apply()
    assert.deepEqual(await rows, ['joe=2', 'eve=3', 'bob=10'])
  })

  test('does not wait for latches outside its range, above its snapshot, or of guards', async () => {
    const world = await given()
    void world.commitAt(7, { eve: '3' })
    assert.deepEqual(await world.scan(7, 'a', 'z'), ['bob=10', 'joe=2'])
    assert.deepEqual(await world.scan(8, 'f', 'z'), ['joe=2'])
    assert.deepEqual(await world.scan(8, 'a', 'eve'), ['bob=10'])
  })

  for (const reverse of [false, true]) {
    test(`of many chunks${reverse ? ' in reverse' : ''} waits only before the chunk in which the latch is`, async () => {
      const world = new EmbeddedWorld(7)
      const names = Array.from({ length: 3_000 }, (_, index) => `r${1_000 + index}`)
      await world.given(...names.map((name) => `${name} write@6 -> 5 put ${name}`))
      void world.commitAt(7, { r2500a: 'new' })
      const seen: string[] = []
      const range = { start: rowKey('r'), end: rowKey('s'), reverse, columns: [COLUMN] }
      const scanning = (async () => {
        for await (const { key } of world.beginAt(8).scanRows(range)) {
          seen.push(Buffer.from(key).toString())
        }
      })()
      await stateOf(scanning)
      assert.ok(seen.length > 500 && seen.length < 1_600, `${seen.length} rows`)
      await world.store.apply()
      await scanning
      const all = [...names, 'r2500a'].sort()
      assert.deepEqual(seen, reverse ? all.toReversed() : all)
    })
  }

  test('reads a chunk again when all latches in it have gone, not after each of a large commit', async () => {
    const world = new EmbeddedWorld(7)
    const names = Array.from({ length: 2_000 }, (_, index) => `r${1_000 + index}`)
    const writing = world.commitAt(7, Object.fromEntries(names.map((name) => [name, 'new'])))
    while (world.store.queued === 0) await nextTurn()
    const scanning = world.scan(8, 'r', 's')
    assert.equal(await stateOf(scanning), 'waits')
    const { view } = world.store
    const { readChunk } = view
    let chunks = 0
    view.readChunk = (request) => {
      chunks += 1
      return readChunk.call(view, request)
    }
    await world.store.apply()
    await writing
    assert.equal((await scanning).length, names.length)
    // 64, 128, 256, three times 512 and the rest: no chunk twice.
    assert.equal(chunks, 7)
  })

  test('ends at its limit', async () => {
    const world = await given()
    const range = { start: rowKey('a'), columns: [COLUMN], limit: 2 }
    const rows = await Array.fromAsync(world.beginAt(7).scanRows(range))
    assert.equal(rows.length, 2)
  })

  test('is refused when the safe point passes it between two chunks', async () => {
    const world = new EmbeddedWorld(7)
    const names = Array.from({ length: 300 }, (_, index) => `r${1_000 + index}`)
    await world.given(...names.map((name) => `${name} write@6 -> 5 put ${name}`))
    const scan = world.beginAt(7).scanRows({ start: rowKey('r'), columns: [COLUMN] })
    const rows = scan[Symbol.asyncIterator]()
    await rows.next()
    world.oracle.safePoint = 8
    const rest = Array.fromAsync({ [Symbol.asyncIterator]: () => rows })
    await assert.rejects(rest, { code: 'snapshot_too_old' })
  })
})
