// SPDX-License-Identifier: Apache-2.0

import { ForwardingCellStore } from '../../bench/engines/forwarding-cell-store.ts'
import type { Row } from '../../storage/cells/cell.ts'
import type { CellStore, CheckAndMutate, RowScan } from '../../storage/cells/cell-store.ts'
import type { RowFilter } from '../../storage/cells/row-filter.ts'

export type HeldCall = 'read' | 'scan' | 'write'

/** A store that lets a call wait until a test lets it go on. */
export class HoldingStore extends ForwardingCellStore {
  readonly atomicScope = 'row'
  /** The keys of all rows that were read by them, as text. */
  readonly keysRead: string[] = []
  #holding: { readonly call: HeldCall; held(): void; readonly go: Promise<void> } | undefined

  /** From now on, the next such call waits. */
  hold(call: HeldCall): { readonly held: Promise<void>; go(): void } {
    const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    this.#holding = { call, held: held.resolve, go: go.promise }
    return { held: held.promise, go: go.resolve }
  }

  async #wait(call: HeldCall): Promise<void> {
    const holding = this.#holding
    if (holding?.call !== call) return
    this.#holding = undefined
    holding.held()
    await holding.go
  }

  override async checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    await this.#wait('write')
    return super.checkAndMutateRow(row, step)
  }

  override async readRows(keys: readonly Uint8Array[], filter: RowFilter) {
    this.keysRead.push(...keys.map((key) => Buffer.from(key).toString('latin1')))
    await this.#wait('read')
    return super.readRows(keys, filter)
  }

  override async *scanRanges(...scan: Parameters<CellStore['scanRanges']>): AsyncIterable<Row> {
    await this.#wait('scan')
    yield* super.scanRanges(...scan)
  }

  override async *scanRows(scan: RowScan): AsyncIterable<Row> {
    await this.#wait('scan')
    yield* super.scanRows(scan)
  }
}
