// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { type CellStore, CellStoreError } from '../../storage/cells/cell-store.ts'
import { clear } from './cell-store-programs.ts'
import { WHOLE_ROW } from './cell-store-scene.ts'

type Engine = { readonly store: CellStore; dispose(): Promise<void> }

/**
 * Opens one engine for all scenarios of the group that calls this, because to open one takes longer than most of them.
 * Each scenario finds it empty; one that a scenario has closed is followed by another.
 */
export function emptiedEngine<E extends Engine>(open: () => Promise<E>): () => Promise<E> {
  let engine: E | undefined
  after(() => engine?.dispose())
  return async () => {
    const opened = engine ?? (await open())
    engine = opened
    const dispose = async () => {
      try {
        await empty(opened.store)
      } catch (error) {
        engine = undefined
        await opened.dispose()
        if (!(error instanceof CellStoreError && error.kind === 'closed')) throw error
      }
    }
    return { ...opened, dispose }
  }
}

async function empty(store: CellStore): Promise<void> {
  await clear(store)
  const everything = { start: new Uint8Array(), filter: WHOLE_ROW }
  assert.deepEqual(await Array.fromAsync(store.scanRows(everything)), [])
}
