// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import fc from 'fast-check'
import { answerOf, clear, program, textOfRow } from './cell-store-programs.ts'
import { CellStoreScene, type OpenedEngine, WHOLE_ROW } from './cell-store-scene.ts'
import { filterScenarios } from './filter-conformance.ts'
import { NaiveCellStore } from './naive-cell-store.ts'
import { refusalScenarios } from './refusal-conformance.ts'
import { rowScenarios } from './row-conformance.ts'
import { scanScenarios } from './scan-conformance.ts'

/** What every engine must do. Each scenario runs on a fresh store. */
export function describeCellStore(name: string, openEngine: () => Promise<OpenedEngine>): void {
  describe(`${name}: the contract of the cell store`, () => {
    const scene = new CellStoreScene(openEngine)
    beforeEach(() => scene.begin())
    afterEach(() => scene.end())

    rowScenarios(scene)
    filterScenarios(scene)
    scanScenarios(scene)
    refusalScenarios(scene)

    test('random programs get the answers of the naive store', async () => {
      await fc.assert(
        fc.asyncProperty(program, async (operations) => {
          await clear(scene.store)
          const naive = new NaiveCellStore()
          for (const operation of operations) {
            const expected = await answerOf(naive, operation)
            assert.equal(await answerOf(scene.store, operation), expected)
          }
          const everything = { start: new Uint8Array(), filter: WHOLE_ROW }
          const left = await Array.fromAsync(scene.store.scanRows(everything))
          assert.deepEqual(left.map(textOfRow), naive.scanRows(everything).map(textOfRow))
        }),
        // Shrinking a failure runs many programs; it must not outlast the patience of a reader.
        { numRuns: 100, interruptAfterTimeLimit: 15_000, markInterruptAsFailure: true },
      )
    })
  })
}
