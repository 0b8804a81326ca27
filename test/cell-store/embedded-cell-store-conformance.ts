// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import fc from 'fast-check'
import type { Row } from '../../storage/cells/cell.ts'
import type { RowStep } from '../../storage/cells/cell-store.ts'
import {
  type Chunk,
  type ChunkRequest,
  type EmbeddedCellStore,
  stepsOf,
} from '../../storage/cells/embedded-cell-store.ts'
import type { Mutation } from '../../storage/cells/mutation.ts'
import { isNoteRow, noteRowKey, timestampOfNoteRow } from '../../storage/cells/note.ts'
import type { RowFilter } from '../../storage/cells/row-filter.ts'
import { arbitraryCalls } from './arbitrary-calls.ts'
import { requireNaiveAnswers } from './cell-store-conformance.ts'
import { answerOf, clear, textOfRow } from './cell-store-programs.ts'
import { bytes } from './cell-store-scene.ts'
import { emptiedEngine } from './emptied-engine.ts'

export type OpenedEmbeddedEngine = {
  readonly store: EmbeddedCellStore
  /** Closes the store and removes what it left. */
  dispose(): Promise<void>
}

const { mixedProgram } = arbitraryCalls()
const UNBOUNDED = { rowsMax: 1_000, bytesMax: 1_000_000 } as const
const NEWEST: RowFilter = [{ family: 'write', qualifier: '0', newest: 1 }]

/** What an engine inside the process must do beyond `describeCellStore`. */
export function describeEmbeddedCellStore(
  name: string,
  openEngine: () => Promise<OpenedEmbeddedEngine>,
): void {
  describe(`${name}: the contract of an embedded cell store`, () => {
    let engine: OpenedEmbeddedEngine
    let store: EmbeddedCellStore
    const open = emptiedEngine(openEngine)
    beforeEach(async () => {
      engine = await open()
      store = engine.store
    })
    afterEach(() => engine.dispose())

    const view = (...rows: string[]) => store.view.readRows(rows.map(bytes), NEWEST).map(numberIn)

    test('a batch changes all its rows, and says which of its steps matched', async () => {
      await store.applyAtomically([put('a', 1), put('b', 1)])
      const matched = await store.applyAtomically([
        { ...put('a', 2), when: NEWEST, ifMatched: [set(3)] },
        { ...put('c', 2), when: NEWEST, ifMatched: [set(3)] },
        put('d', 2),
      ])
      assert.deepEqual(matched, [true, false, false])
      assert.deepEqual(view('a', 'b', 'c', 'd'), [3, 1, 2, 2])
      assert.deepEqual(await store.applyAtomically([]), [])
    })

    test('all predicates of a batch come before its first mutation, whose order is kept', async () => {
      const absent = { when: NEWEST, ifMatched: [] }
      const batch = [
        { ...put('a', 1), ...absent },
        { ...put('a', 2), ...absent },
        { ...put('b', 3), ...absent },
      ]
      assert.deepEqual(await store.applyAtomically(batch), [false, false, false])
      assert.deepEqual(view('a', 'b'), [2, 3])
      assert.deepEqual(await store.applyAtomically(batch), [true, true, true])
    })

    test('a batch with a wrong step is refused whole', async () => {
      const wrong = { ...put('b', 1), otherwise: [{ ...set(1), timestamp: -1 } as Mutation] }
      await assert.rejects(store.applyAtomically([put('a', 1), wrong]), { kind: 'invalid' })
      assert.deepEqual(view('a'), [null])
    })

    test('a batch of very many steps is one unit too, and keeps its place among the others', async () => {
      const many = Array.from({ length: 3_000 }, (_, at) => put(`m${at}`, at % 100))
      const first = store.applyAtomically([{ ...put('m7', 1), when: NEWEST }])
      const second = store.applyAtomically(
        stepsOf(many, (step) => ({ ...step, when: NEWEST, ifMatched: [set(55)] })),
      )
      const third = store.applyAtomically([put('m8', 77)])
      assert.deepEqual(await first, [false])
      assert.deepEqual(
        (await second).flatMap((matched, at) => (matched ? [at] : [])),
        [7],
      )
      await third
      assert.deepEqual(view('m6', 'm7', 'm8', 'm2999'), [6, 55, 77, 99])
      const wrong = { ...put('x', 1), otherwise: [{ ...set(1), timestamp: -1 } as Mutation] }
      await assert.rejects(store.applyAtomically([put('y', 1), ...many, wrong]), {
        kind: 'invalid',
      })
      assert.deepEqual(view('y', 'm6'), [null, 6])
    })

    test('a note is there with its batch, in the row of the last that became durable together', async () => {
      const noted = (row: string, timestamp: number) =>
        store.applyAtomically([put(row, 1)], { timestamp, value: bytes(`${timestamp};`) })
      const asked = [noted('a', 7), noted('b', 9), noted('c', 300)]
      assert.deepEqual(await Promise.all(asked), [[false], [false], [false]])
      await store.applyAtomically([], { timestamp: 301, value: bytes('301;') })
      const many = Array.from({ length: 1_500 }, (_, at) => put(`m${at}`, 1))
      await store.applyAtomically(many, { timestamp: 302, value: bytes('302;') })
      const wrong = { ...put('w', 1), otherwise: [{ ...set(1), timestamp: -1 } as Mutation] }
      await assert.rejects(store.applyAtomically([wrong], { timestamp: 303, value: bytes('303;') }))
      const range = { start: noteRowKey(0), end: noteRowKey(Number.MAX_SAFE_INTEGER) }
      const told = (start: Uint8Array) => {
        const request = { ...range, start, filter: [{ family: 'data' }], ...UNBOUNDED } as const
        return store.view.readChunk(request).rows.flatMap(({ key, cells }) =>
          cells.map(({ value, timestamp, qualifier }) => {
            assert.ok(isNoteRow(key))
            assert.equal(timestampOfNoteRow(key), timestamp)
            assert.equal(qualifier, '0')
            assert.ok(Buffer.from(value).toString().endsWith(`${timestamp};`))
            return Buffer.from(value).toString()
          }),
        )
      }
      assert.equal(told(range.start).join(''), '7;9;300;301;302;')
      // Whatever stands together, what came after a timestamp is behind its key.
      assert.ok(told(noteRowKey(10)).join('').endsWith('300;301;302;'))
      assert.equal(told(noteRowKey(301)).join(''), '301;302;')
    })

    test('mutations of every kind take effect in the order in which they were handed in', async () => {
      const step = (value: number) => ({ when: NEWEST, ifMatched: [set(value)], otherwise: [] })
      const counter = { family: 'data', qualifier: 'n', by: 1n } as const
      const answers = await Promise.all([
        store.applyAtomically([{ row: bytes('a'), ...step(1) }]),
        store.mutateRows([{ row: bytes('a'), mutations: [set(2)] }]),
        store.checkAndMutateRow(bytes('a'), step(3)),
        store.readModifyWriteRow(bytes('a'), [counter]),
        store.applyAtomically([{ row: bytes('a'), ...step(4) }, put('b', 4)]),
        store.checkAndMutateRow(bytes('b'), step(5)),
        store.readModifyWriteRow(bytes('a'), [counter]),
      ])
      assert.deepEqual(answers, [[false], [null], true, [1n], [true, false], true, [2n]])
      assert.deepEqual(view('a', 'b'), [4, 5])
    })

    test('the view shows a batch at the moment of its answer, and never a half of one', async () => {
      const rows = ['a', 'b', 'c']
      let [answered, done] = [0, false]
      const look = () => {
        const [first, ...others] = view(...rows)
        for (const other of others) assert.equal(other, first, 'a half of a batch is seen')
        assert.ok((first ?? 0) >= answered, `${first} is seen, ${answered} was answered`)
      }
      const writes: Promise<void>[] = []
      const write = (value: number) =>
        store.applyAtomically(rows.map((row) => put(row, value))).then(() => {
          answered = value
          look()
        })
      for (let value = 1; value <= 60; value++) {
        writes.push(write(value))
        look()
        // Sometimes several batches are on their way together, sometimes one.
        if (value % 4 === 0) await writes.at(-1)
        else if (value % 4 === 1) await new Promise((resolve) => setImmediate(resolve))
      }
      void Promise.all(writes).finally(() => {
        done = true
      })
      while (!done) {
        look()
        await new Promise((resolve) => setImmediate(resolve))
      }
      await Promise.all(writes)
      assert.equal(answered, 60)
    })

    test('within a turn the view stays as it is while a batch is committed, and the answer renews it', async () => {
      await store.applyAtomically([put('a', 1)])
      for (let value = 2; value < 12; value++) {
        const writing = store.applyAtomically([put('a', value)])
        // After this turn the batch is with whoever commits it, and has time enough for that in the next.
        await new Promise((resolve) => setImmediate(resolve))
        const seen = view('a')
        for (const end = performance.now() + 20; performance.now() < end; ) {
          assert.deepEqual(view('a'), seen)
          await Promise.resolve()
        }
        await writing
        assert.deepEqual(view('a'), [value])
      }
    })

    test('random programs in which counters meet other cells get the answers of the naive store', async () => {
      await requireNaiveAnswers(store, mixedProgram)
    })

    test('chunks of any size, one after the other, are the rows of a scan in either direction', async () => {
      await fc.assert(
        fc.asyncProperty(
          mixedProgram,
          fc.integer({ min: 1, max: 4 }),
          fc.integer({ min: 1, max: 9 }),
          async (operations, rowsMax, bytesMax) => {
            await clear(store)
            for (const operation of operations) await answerOf(store, operation)
            for (const operation of operations) {
              if (operation.kind !== 'scanRows') continue
              const { limit: _, ...scan } = operation.scan
              const rows = await Array.fromAsync(store.scanRows(scan))
              const chunked = chunksOf(store, { ...scan, rowsMax, bytesMax })
              assert.deepEqual(chunked.map(textOfRow), rows.map(textOfRow))
            }
          },
        ),
        { numRuns: 100, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true },
      )
    })

    test('a wrong key or filter, and a store that is closed, are refused by the view too', async () => {
      const chunk = { start: new Uint8Array(), filter: NEWEST, rowsMax: 1, bytesMax: 1 }
      const wrong = [{ family: 'write', newest: 0 }] as const
      assert.throws(() => store.view.readRows([new Uint8Array()], NEWEST), { kind: 'invalid' })
      assert.throws(() => store.view.readRows([bytes('a')], wrong), { kind: 'invalid' })
      assert.throws(() => store.view.readChunk({ ...chunk, filter: wrong }), { kind: 'invalid' })
      const last = store.applyAtomically([put('a', 1)])
      await store.close()
      assert.deepEqual(await last, [false])
      await assert.rejects(store.applyAtomically([put('a', 1)]), { kind: 'closed' })
      assert.throws(() => view('a'), { kind: 'closed' })
      assert.throws(() => store.view.readChunk(chunk), { kind: 'closed' })
    })
  })
}

/** The rows of all chunks of a range. */
function chunksOf(store: EmbeddedCellStore, request: ChunkRequest): Row[] {
  const rows: Row[] = []
  let rest: Chunk['rest'] = { start: request.start, end: request.end }
  while (rest !== undefined) {
    const { start, end } = rest
    const range = end === undefined ? { start } : { start, end }
    const { end: _, ...unbounded } = request
    const chunk: Chunk = store.view.readChunk({ ...unbounded, ...range })
    assert.ok(chunk.rows.length <= request.rowsMax)
    rows.push(...chunk.rows)
    rest = chunk.rest
  }
  return rows
}

function set(value: number): Mutation {
  const cell = { family: 'write', qualifier: '0', timestamp: value } as const
  return { kind: 'setCell', ...cell, value: bytes(String(value)) }
}

function put(row: string, value: number): RowStep {
  return { row: bytes(row), when: [], ifMatched: [], otherwise: [set(value)] }
}

function numberIn(row: Row | null): number | null {
  const cell = row?.cells[0]
  return cell === undefined ? null : Number(Buffer.from(cell.value).toString())
}
