// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { openEmulatedStore } from '../../bench/engines/emulated-store.ts'
import { EMULATORS, type Emulator, skipReason } from '../../bench/engines/emulator.ts'
import { answerOf } from '../../test/cell-store/cell-store-programs.ts'
import { ofKind } from '../../test/cell-store/cell-store-scene.ts'
import { NaiveCellStore } from '../../test/cell-store/naive-cell-store.ts'
import type { BigtableCellStore } from './bigtable-cell-store.ts'
import { wireFilter } from './filter-encoding.ts'

/** What could mean something else in a pattern. */
const qualifier = fc.constantFrom(
  ...['', 'a', '(a|b)', '\\d', '.', '\n', '\0', 'ä', '\u{10000}', '^a$', '[a-z]', '7', 'A'],
)
const condition = fc.constantFrom({}, { newest: 1 }, { timestamps: { from: 2 } })
const step = fc.record({
  columns: fc.array(qualifier, { minLength: 1, maxLength: 6 }),
  cells: fc.array(fc.tuple(qualifier, fc.constantFrom(1, 2, 3)), { maxLength: 12 }),
  condition,
})

for (const kind of EMULATORS) {
  describe(`filters over columns, ${kind.name}`, { skip: skipReason(kind) }, () => {
    let emulator: Emulator
    let store: BigtableCellStore
    before(async () => {
      emulator = await kind.start()
      store = await openEmulatedStore(emulator)
    })
    after(async () => {
      await store.close()
      await emulator.close()
    })

    test('columns with any names are chosen as the naive store chooses them', async () => {
      let rows = 0
      await fc.assert(
        fc.asyncProperty(step, async ({ columns, cells, condition }) => {
          const naive = new NaiveCellStore()
          // A row that nothing was written to, because to empty one is half of the work.
          const row = Buffer.from(`row ${rows}`)
          rows += 1
          const mutations = cells.map(([qualifier, timestamp]) => {
            const value = Buffer.from(qualifier)
            return { kind: 'setCell', family: 'data', qualifier, timestamp, value } as const
          })
          for (const one of [store, naive]) {
            await answerOf(one, { kind: 'mutateRows', entries: [{ row, mutations }] })
          }
          const filter = columns.map((column) => {
            return { family: 'data', qualifier: column, ...condition } as const
          })
          const read = { kind: 'readRows', keys: [row], filter } as const
          assert.equal(await answerOf(store, read), await answerOf(naive, read))
        }),
        { numRuns: 100, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true },
      )
    })

    test('a predicate over a thousand columns is taken, and what Bigtable would refuse is refused here', async () => {
      const row = Buffer.from('row')
      const predicate = (columns: number) => ({
        when: Array.from({ length: columns }, (_, at) => {
          return { family: 'lock', qualifier: String(at) } as const
        }),
        ...{ ifMatched: [], otherwise: [] },
      })
      assert.equal(await store.checkAndMutateRow(row, predicate(1_000)), false)
      await assert.rejects(store.checkAndMutateRow(row, predicate(10_000)), ofKind('invalid'))
    })

    test('a row that stands twice in a call is refused, and the others are not', async () => {
      const mutation = { kind: 'setCell', family: 'data', qualifier: '0', timestamp: 1 } as const
      const entry = (row: string, value: string) => {
        const mutations = [{ ...mutation, value: Buffer.from(value) }]
        return { row: Buffer.from(row), mutations }
      }
      const errors = await store.mutateRows([entry('x', '1'), entry('y', '1'), entry('x', '2')])
      assert.deepEqual(
        errors.map((error) => error?.kind ?? null),
        [null, null, 'invalid'],
      )
    })
  })
}

test('one chain serves all columns that have the same conditions', () => {
  const columns = Array.from({ length: 256 }, (_, at) => String(at))
  const filter = columns.flatMap((qualifier) => [
    { family: 'lock', qualifier } as const,
    { family: 'write', qualifier, timestamps: { from: 1_800_000_000_000_000 } } as const,
  ])
  const wire = wireFilter(filter, Number.MAX_SAFE_INTEGER) as {
    interleave: { filters: unknown[] }
  }
  assert.equal(wire.interleave.filters.length, 2)
  assert.equal(wireFilter([], 9), undefined)
  const nothing = [{ family: 'data', timestamps: { from: 4, until: 4 } }] as const
  assert.equal(wireFilter(nothing, 9), undefined)
})
