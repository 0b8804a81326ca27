// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import fc from 'fast-check'
import type { CellStore } from '../../storage/cells/cell-store.ts'
import type { RowFilter } from '../../storage/cells/row-filter.ts'
import { arbitraryCalls } from './arbitrary-calls.ts'
import { answerOf, clear, type Operation, textOfRow } from './cell-store-programs.ts'
import { CellStoreScene, type OpenedEngine, WHOLE_ROW } from './cell-store-scene.ts'
import { emptiedEngine } from './emptied-engine.ts'
import { filterScenarios } from './filter-conformance.ts'
import { NaiveCellStore } from './naive-cell-store.ts'
import { refusalScenarios } from './refusal-conformance.ts'
import { rowScenarios } from './row-conformance.ts'
import { scanScenarios } from './scan-conformance.ts'

/** What every engine must do. Each scenario runs on an empty store. */
export function describeCellStore(name: string, openEngine: () => Promise<OpenedEngine>): void {
  describe(`${name}: the contract of the cell store`, () => {
    const scene = new CellStoreScene(emptiedEngine(openEngine))
    beforeEach(() => scene.begin())
    afterEach(() => scene.end())

    rowScenarios(scene)
    filterScenarios(scene)
    scanScenarios(scene)
    refusalScenarios(scene)

    test('random programs get the answers of the naive store', async () => {
      const { program } = arbitraryCalls(scene.store.limits.timestampMax)
      await requireNaiveAnswers(scene.store, program)
    })

    test('random programs of counters get them too, whatever timestamps the engine chose', async () => {
      await requireNaiveAnswers(
        scene.store,
        arbitraryCalls().counterProgram,
        NEWEST_CELLS,
        (text) => text.replaceAll(/@\d+=/g, '='),
      )
    })
  })
}

const NEWEST_CELLS = WHOLE_ROW.map((selector) => ({ ...selector, newest: 1 }))

/** Runs programs on the store and on the naive one; every answer and what is left must be the same. */
export async function requireNaiveAnswers(
  store: CellStore,
  program: fc.Arbitrary<Operation[]>,
  filter: RowFilter = WHOLE_ROW,
  compared: (text: string) => string = (text) => text,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(program, async (operations) => {
      await clear(store)
      const naive = new NaiveCellStore()
      for (const operation of operations) {
        const expected = compared(await answerOf(naive, operation))
        assert.equal(compared(await answerOf(store, operation)), expected)
      }
      const everything = { start: new Uint8Array(), filter }
      const left = await Array.fromAsync(store.scanRows(everything))
      const expected = naive.scanRows(everything).map(textOfRow).map(compared)
      assert.deepEqual(left.map(textOfRow).map(compared), expected)
    }),
    // Shrinking a failure runs many programs; it must not outlast the patience of a reader.
    { numRuns: 100, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true },
  )
}
