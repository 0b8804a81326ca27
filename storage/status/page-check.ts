// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../cell-store/cell-store.ts'
import { CellStoreError } from '../cell-store/cell-store.ts'
import { compareRowKeys } from '../cell-store/row-key.ts'
import { rowPages } from '../cell-store/row-pages.ts'
import type { Clock } from '../clock.ts'
import { COPIED_FAMILIES } from '../move/copied-rows.ts'
import type { StorageLog } from '../storage-log.ts'

export type PageCheckStatus = {
  readonly state: 'running' | 'sound' | 'damaged'
  readonly rows: number
}

type Parts = {
  readonly cellStore: CellStore
  readonly clock: Clock
  readonly log: StorageLog
}

const PAGE_ROWS = 250
/** After each page of rows it rests for so many times as long as that took, so that it has a tenth of the time. */
const REST_FACTOR = 9
const REST_MS_MIN = 5

/**
 * Reads every row once, beside everything else, after a start that followed a kill: a failing disk is told of before
 * somebody needs the page. It never holds up the start.
 */
export class PageCheck {
  readonly #parts: Parts
  readonly #stopping = new AbortController()
  #status: PageCheckStatus | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Undefined where the last owner has closed the store. */
  get status(): PageCheckStatus | undefined {
    return this.#status
  }

  /** Whether it has found a page that cannot be read, or a request has. */
  get isDamaged(): boolean {
    return this.#status?.state === 'damaged' || this.#parts.cellStore.damage !== undefined
  }

  start(): void {
    if (this.#parts.cellStore.wasKilled !== true) return
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { cellStore, clock, log } = this.#parts
    const { signal } = this.#stopping
    let rows = 0
    let last: Uint8Array = new Uint8Array()
    this.#status = { state: 'running', rows }
    try {
      await clock.sleep(REST_MS_MIN, signal)
      let beganMs = clock.monotonicMs()
      const filter = [...COPIED_FAMILIES, { family: 'lock' }] as const
      for await (const page of rowPages(cellStore, { filter, pageRows: PAGE_ROWS, signal })) {
        for (const { key } of page) {
          if (compareRowKeys(last, key) >= 0)
            throw new CellStoreError('damaged', 'Rows are out of order.', { row: key })
          last = key
        }
        rows += page.length
        this.#status = { state: 'running', rows }
        await clock.sleep(REST_MS_MIN + REST_FACTOR * (clock.monotonicMs() - beganMs), signal)
        beganMs = clock.monotonicMs()
      }
      this.#status = { state: 'sound', rows }
    } catch (error) {
      if (signal.aborted || !(error instanceof CellStoreError)) return
      if (error.kind !== 'damaged') return
      this.#status = { state: 'damaged', rows }
      log.error({ error: String(error), rows }, 'the check after a kill has found a damaged page')
    }
  }
}
