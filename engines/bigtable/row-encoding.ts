// SPDX-License-Identifier: Apache-2.0
import type { Cell, Family, Row, Timestamp } from '../../storage/cells/cell.ts'
import { compareCells } from '../../storage/cells/cell-order.ts'
import type { RowScan } from '../../storage/cells/cell-store.ts'
import type { Mutation } from '../../storage/cells/mutation.ts'
import type { WireChunk, WireMutation, WireRange } from './bigtable-messages.ts'
import { timestampOf, wireTimestamp, wireTimestamps } from './timestamp-encoding.ts'

/** A deletion of a range that no cell is in is left out. */
export function wireMutations(
  mutations: readonly Mutation[],
  timestampMax: Timestamp,
): WireMutation[] {
  return mutations.flatMap((mutation): WireMutation[] => {
    const { family: familyName, qualifier } = mutation
    const column = { familyName, columnQualifier: Buffer.from(qualifier) }
    if (mutation.kind === 'setCell') {
      const { timestamp, value } = mutation
      return [{ setCell: { ...column, timestampMicros: wireTimestamp(timestamp), value } }]
    }
    const timeRange = wireTimestamps(mutation.timestamps, timestampMax)
    return timeRange === undefined ? [] : [{ deleteFromColumn: { ...column, timeRange } }]
  })
}

/** An open end is said as the last key that there can be: for an absent one the emulators walk the whole table. */
const END_OF_TABLE = new Uint8Array(4_096).fill(0xff)

/**
 * The range of a scan; undefined when no key is in it. Inverted and empty ranges are errors in Bigtable, and so is a
 * bound that is longer than a key may be: the first bytes of such a bound say the same.
 */
export function wireRange(
  { start, end }: Pick<RowScan, 'start' | 'end'>,
  keyBytesMax: number,
): WireRange | undefined {
  if (end !== undefined && Buffer.compare(start, end) >= 0) return undefined
  const from =
    start.length <= keyBytesMax
      ? start.length === 0
        ? {}
        : { startKeyClosed: start }
      : { startKeyOpen: start.subarray(0, keyBytesMax) }
  if (end === undefined) return { ...from, endKeyClosed: END_OF_TABLE }
  if (end.length <= keyBytesMax) return { ...from, endKeyOpen: end }
  // Below the long bound stands all that is below its first bytes, and they themselves.
  const shortened = end.subarray(0, keyBytesMax)
  if (Buffer.compare(start, shortened) > 0) return undefined
  return { ...from, endKeyClosed: shortened }
}

type RowUnderWay = { key: Uint8Array; cells: Cell[]; family: Family; qualifier: string }

/** Puts the chunks of ReadRows together to rows, whose cells stand in the order of the contract, each once. */
export class RowAssembler {
  #row: RowUnderWay | undefined
  #timestamp: Timestamp = 0
  #parts: Uint8Array[] = []

  #add(chunk: WireChunk): RowUnderWay {
    const { rowKey, familyName, qualifier, timestampMicros = '0', value, valueSize = 0 } = chunk
    this.#row ??= { key: rowKey as Uint8Array, cells: [], family: 'data', qualifier: '' }
    const row = this.#row
    if (familyName?.value !== undefined) row.family = familyName.value as Family
    if (qualifier != null) row.qualifier = Buffer.from(qualifier.value ?? []).toString()
    if (this.#parts.length === 0) this.#timestamp = timestampOf(timestampMicros)
    this.#parts.push(value ?? new Uint8Array())
    if (valueSize > 0) return row
    const [only] = this.#parts as [Uint8Array]
    const whole = this.#parts.length === 1 ? only : Buffer.concat(this.#parts)
    const { family, qualifier: column } = row
    row.cells.push({ family, qualifier: column, timestamp: this.#timestamp, value: whole })
    this.#parts = []
    return row
  }

  /** The rows that these chunks complete. */
  *rowsOf(chunks: readonly WireChunk[]): Iterable<Row> {
    for (const chunk of chunks) {
      if (chunk.resetRow === true) {
        this.#row = undefined
        this.#parts = []
        continue
      }
      const row = this.#add(chunk)
      if (chunk.commitRow !== true) continue
      this.#row = undefined
      yield { key: row.key, cells: inOrder(row.cells) }
    }
  }
}

/** An interleave gives a cell as often as its filters choose it. */
function inOrder(cells: Cell[]): Cell[] {
  cells.sort(compareCells)
  return cells.filter((cell, at) => at === 0 || compareCells(cells[at - 1] as Cell, cell) !== 0)
}
