// SPDX-License-Identifier: Apache-2.0

import { ForwardingCellStore } from '../../bench/engines/forwarding-cell-store.ts'
import {
  CellStoreError,
  type CellStoreErrorKind,
  type RowStep,
} from '../../storage/cells/cell-store.ts'
import type {
  CellView,
  EmbeddedCellStore,
  StepList,
} from '../../storage/cells/embedded-cell-store.ts'
import { MemoryCellStore } from '../../storage/cells/memory/memory-cell-store.ts'
import type { Note } from '../../storage/cells/note.ts'
import { nextTurn } from '../../storage/turns/turns.ts'

type QueuedBatch = {
  readonly steps: readonly RowStep[]
  readonly note: Note | undefined
  matched: boolean[] | undefined
  readonly answer: PromiseWithResolvers<boolean[]>
}

/**
 * An embedded engine whose writer does nothing by itself: a batch waits in the queue until the test
 * says what becomes of it. The view shows a batch from `show` or `apply` on.
 */
export class ScriptedEmbeddedStore extends ForwardingCellStore implements EmbeddedCellStore {
  readonly atomicScope = 'store'
  /** While this is false the writer decides by itself, as `fate` says. */
  isHeld = true
  /** What becomes of the oldest batch; asked once for each. */
  fate: () => Promise<'apply' | 'refuse'> = async () => 'apply'
  /** Every batch that was handed in, the oldest first. */
  readonly batches: Array<readonly RowStep[]> = []
  /** What was noted with each of them. */
  readonly notes: Array<Note | undefined> = []
  readonly #inner: MemoryCellStore
  readonly #queue: QueuedBatch[] = []
  #isWorking = false

  constructor() {
    const inner = new MemoryCellStore()
    super(inner)
    this.#inner = inner
  }

  get view(): CellView {
    return this.#inner.view
  }

  /** How many batches wait for their answer. */
  get queued(): number {
    return this.#queue.length
  }

  applyAtomically(list: StepList, note?: Note): Promise<boolean[]> {
    const steps = [...list]
    this.batches.push(steps)
    this.notes.push(note)
    const answer: QueuedBatch['answer'] = Promise.withResolvers()
    const batch: QueuedBatch = { steps, note, matched: undefined, answer }
    this.#queue.push(batch)
    if (!this.isHeld) void this.#work()
    return batch.answer.promise
  }

  /** The view has the oldest batch from now on; it is not on disk yet. */
  async show(): Promise<void> {
    const batch = await this.#oldest()
    batch.matched ??= await this.#inner.applyAtomically(batch.steps, batch.note)
  }

  /** The oldest batch is on disk and in the view, and is answered. */
  async apply(): Promise<void> {
    const batch = await this.#oldest()
    await this.show()
    this.#queue.shift()
    batch.answer.resolve(batch.matched ?? [])
    await nextTurn()
  }

  /** The oldest batch is not applied. */
  async refuse(kind: CellStoreErrorKind): Promise<void> {
    const batch = await this.#oldest()
    this.#queue.shift()
    batch.answer.reject(new CellStoreError(kind, `scripted: ${kind}`))
    await nextTurn()
  }

  /** One batch after the other, in their order, until none is left. */
  async #work(): Promise<void> {
    if (this.#isWorking) return
    this.#isWorking = true
    while (this.#queue.length > 0) {
      if ((await this.fate()) === 'apply') await this.apply()
      else await this.refuse('notApplied')
    }
    this.#isWorking = false
  }

  /** The oldest batch; one that is queued after a pause only is waited for. */
  async #oldest(): Promise<QueuedBatch> {
    for (let turn = 0; turn < TURNS_MAX; turn += 1) {
      const [oldest] = this.#queue
      if (oldest !== undefined) return oldest
      await nextTurn()
    }
    throw new Error('nothing is queued')
  }
}

const TURNS_MAX = 100
