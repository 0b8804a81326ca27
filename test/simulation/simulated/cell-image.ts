// SPDX-License-Identifier: Apache-2.0
import { FAMILIES, type Row } from '../../../storage/cells/cell.ts'
import type { RowMutations } from '../../../storage/cells/cell-store.ts'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import type { RowFilter } from '../../../storage/cells/row-filter.ts'
import { keyString } from '../../../storage/cells/row-key.ts'

const EVERYTHING = FAMILIES.map((family) => ({ family }))

/** One state of a store: what is on its disk, what its writer sees, or what its readers see. */
export class CellImage {
  readonly cells = new MemoryCellStore()
  readonly #locked = new Map<string, Row>()

  /** The rows that have locks, by their keys as text. */
  get locked(): ReadonlyMap<string, Row> {
    return this.#locked
  }

  apply(changes: readonly RowMutations[]): void {
    // The memory engine has done it when the call returns; the promise only says so.
    void this.cells.mutateRows(changes)
    for (const { row, mutations } of changes) {
      if (mutations.some(({ family }) => family === 'lock')) this.#look(row)
    }
  }

  read(row: Uint8Array, filter: RowFilter): Row | null {
    return this.cells.view.readRows([row], filter)[0] ?? null
  }

  /** Every row with all of its cells. */
  rows(): readonly Row[] {
    const everything = { start: new Uint8Array(), filter: EVERYTHING }
    return this.cells.view.readChunk({ ...everything, rowsMax: Infinity, bytesMax: Infinity }).rows
  }

  /** The same for the same cells. */
  text(): string {
    const lines = this.rows().flatMap(({ key, cells }) =>
      cells.map(
        ({ value, ...place }) => `${keyString(key)} ${JSON.stringify(place)} ${keyString(value)}`,
      ),
    )
    return lines.join('\n')
  }

  copy(): CellImage {
    const copy = new CellImage()
    const changes = this.rows().map(({ key, cells }) => ({
      row: key,
      mutations: cells.map((cell) => ({ kind: 'setCell', ...cell }) as const),
    }))
    copy.apply(changes)
    return copy
  }

  #look(row: Uint8Array): void {
    const found = this.read(row, [{ family: 'lock' }])
    if (found === null) this.#locked.delete(keyString(row))
    else this.#locked.set(keyString(row), found)
  }
}
