// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { TestServer } from '../server/test-server.ts'
import { EVERYTHING, FIRST_ROWS, type Name, TABLE } from './scenario.ts'
import type { Topology } from './topologies.ts'
import type { World } from './world.ts'

// What cannot be written down as one history: many rows, and many transactions that really race.

const NAMES: readonly Name[] = ['T1', 'T2', 'T3', 'T4']
const [WRITER, OTHER_WRITER, ...READERS] = NAMES as readonly [Name, Name, ...Name[]]

type TestRow = { readonly id: number; readonly value: number }

async function started(t: TestContext, topology: Topology): Promise<World> {
  const world = await topology.start(t, NAMES)
  await world.settled(world.serverOf(WRITER).rows(TABLE))
  await world.settled(world.serverOf(WRITER).rows(FIRST_ROWS))
  return world
}

async function rowsIn(server: TestServer, transaction: string): Promise<TestRow[]> {
  const answer = await server.post(`/v1/transactions/${transaction}/query`, { sql: EVERYTHING })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.results[0].rows
}

/** Defines the tests over one topology. */
export function defineRaces(topology: Topology): void {
  test('begun before a commit of 100 rows, a transaction sees none of them; begun after it, all', async (t) => {
    const world = await started(t, topology)
    const writer = world.serverOf(WRITER)
    const before = await world.settled(world.serverOf('T3').begin())
    const values = Array.from({ length: 100 }, (_, index) => `(${index + 10}, 1)`)
    const insert = `INSERT INTO test (id, value) VALUES ${values.join(', ')}`
    await world.settled(writer.rows(insert))
    const after = await world.settled(world.serverOf('T4').begin())
    const seenBefore = await world.settled(rowsIn(world.serverOf('T3'), before))
    const seenAfter = await world.settled(rowsIn(world.serverOf('T4'), after))
    assert.deepEqual([seenBefore.length, seenAfter.length], [2, 102])
  })

  test('while 100 rows are written again and again, every snapshot shows them all of one writing', async (t) => {
    const world = await started(t, topology)
    const ids = Array.from({ length: 100 }, (_, index) => index + 10)
    const writeAll = (value: number) =>
      ids.map((id) => `SET value = ${value} ON test WHERE id = ${id}`).join('; ')
    await world.settled(world.serverOf(WRITER).rows(writeAll(1)))
    const seen = new Set<number>()
    let isWriting = true
    const write = async () => {
      for (let value = 2; value < 12; value += 1) {
        await world.serverOf(WRITER).rows(writeAll(value))
      }
      isWriting = false
    }
    const read = async (name: Name) => {
      while (isWriting) {
        const rows: TestRow[] = await world.serverOf(name).rows('SCAN * FROM test WHERE id >= 10')
        const distinct = new Set(rows.map(({ value }) => value))
        assert.deepEqual([rows.length, distinct.size], [100, 1], [...distinct].join())
        seen.add([...distinct][0] as number)
      }
    }
    await world.settled(Promise.all([write(), ...READERS.map(read)]))
    assert.ok(seen.size > 1, 'readers and writer ran at the same time')
  })

  test('whoever is told of a commit finds it through any gateway, and stamps rise with time', async (t) => {
    const world = await started(t, topology)
    let last = 0
    for (let round = 0; round < 24; round += 1) {
      const writer = world.serverOf(NAMES[round % 4] as Name)
      const reader = world.serverOf(NAMES[(round + 1 + (round % 3)) % 4] as Name)
      const { body } = await world.settled(
        writer.query(`SET value = ${round} ON test WHERE id = 1`),
      )
      const found = await world.settled(reader.query('GET value FROM test WHERE id = 1'))
      assert.equal(found.body.results[0].rows[0].value, round)
      assert.ok(last < body.readTimestamp, 'it begins after what was answered before')
      assert.ok(body.readTimestamp < body.commitTimestamp)
      assert.ok(body.commitTimestamp < found.body.readTimestamp)
      last = found.body.readTimestamp
    }
  })

  test('readers that race two disjoint writers agree on one order of the commits', async (t) => {
    const world = await started(t, topology)
    const seen: string[] = []
    let writing = 2
    const write = async (name: Name, id: number) => {
      for (let value = 100; value < 115; value += 1) {
        await world.serverOf(name).rows(`SET value = ${value} ON test WHERE id = ${id}`)
      }
      writing -= 1
    }
    const read = async (name: Name) => {
      while (writing > 0) {
        const [first, second]: TestRow[] = await world.serverOf(name).rows(EVERYTHING)
        seen.push(`${first?.value} ${second?.value}`)
      }
    }
    await world.settled(
      Promise.all([write(WRITER, 1), write(OTHER_WRITER, 2), ...READERS.map(read)]),
    )
    assertOneOrder([...new Set(seen)].map((pair) => pair.split(' ').map(Number)))
  })
}

/** Each row's value only rises (from 10 and 20 to 114), so of two snapshots one is not behind in anything. */
function assertOneOrder(snapshots: readonly number[][]): void {
  assert.ok(snapshots.length > 1, 'the readers saw something change')
  for (const [first = 0, second = 0] of snapshots) {
    for (const [otherFirst = 0, otherSecond = 0] of snapshots) {
      const forked = first > otherFirst && second < otherSecond
      assert.ok(!forked, `one saw ${first} ${second}, another one ${otherFirst} ${otherSecond}`)
    }
  }
}
