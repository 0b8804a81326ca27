// SPDX-License-Identifier: Apache-2.0
import type { Cell, Row } from '../../cells/cell.ts'
import { CellStoreError, type RowMutations } from '../../cells/cell-store.ts'
import type { Mutation } from '../../cells/mutation.ts'
import { StorageError } from '../../errors.ts'
import { Backoff } from '../../transactions/protocol/backoff.ts'
import type { ProtocolContext } from '../../transactions/protocol/protocol-context.ts'

/** What writing into a store without transactions needs. */
export type RowWriterDependencies = Pick<ProtocolContext, 'cellStore' | 'clock' | 'randomness'>

const BATCH_ROWS = 500
const BATCH_BYTES = 1_048_576
/** What one mutation of a row sets: the smallest engine takes 120 cells and a mebibyte. */
const MUTATION_CELLS = 100
const MUTATION_BYTES = 524_288
/** For each cell beside its value: its address, and what the wire adds. */
const CELL_OVERHEAD_BYTES = 64

/**
 * Makes rows of another store what they are here, many at a time. Setting or deleting a cell again changes nothing, so
 * whatever was not answered is sent again.
 */
export class RowWriter {
  readonly #context: RowWriterDependencies
  #entries: RowMutations[] = []
  #bytes = 0
  /** What has been sent so far. */
  readonly sent = { rows: 0, cells: 0, bytes: 0 }

  constructor(context: RowWriterDependencies) {
    this.#context = context
  }

  /**
   * Makes the row `there` what it is here. Rejects with StorageError `limit_exceeded` for a row that the store cannot
   * hold, and with CellStoreError.
   */
  async write(key: Uint8Array, here: readonly Cell[], there: readonly Cell[] = []): Promise<void> {
    this.#check(key, here)
    const standing = new Map(there.map((cell) => [addressOf(cell), cell]))
    const mutations: Mutation[] = []
    for (const cell of here) {
      const address = addressOf(cell)
      const found = standing.get(address)
      standing.delete(address)
      if (found !== undefined && Buffer.compare(found.value, cell.value) === 0) continue
      mutations.push({ kind: 'setCell', ...cell })
    }
    for (const { family, qualifier, timestamp } of standing.values()) {
      const timestamps = { from: timestamp, until: timestamp + 1 }
      mutations.push({ kind: 'deleteFromColumn', family, qualifier, timestamps })
    }
    if (mutations.length > 0) await this.#add(key, mutations)
  }

  async flush(): Promise<void> {
    if (this.#entries.length === 0) return
    const entries = this.#entries
    this.#entries = []
    this.#bytes = 0
    await sentUntilApplied(this.#context, entries)
  }

  async #add(row: Uint8Array, mutations: readonly Mutation[]): Promise<void> {
    this.sent.rows += 1
    this.sent.cells += mutations.length
    for (const [index, part] of partsOf(mutations).entries()) {
      // A row stands at most once in a call.
      if (index > 0) await this.flush()
      this.#entries.push({ row, mutations: part.mutations })
      this.#bytes += part.bytes
      this.sent.bytes += part.bytes
      if (this.#bytes >= BATCH_BYTES || this.#entries.length >= BATCH_ROWS) await this.flush()
    }
  }

  #check(key: Uint8Array, cells: readonly Cell[]): void {
    const { rowKeyBytesMax, cellBytesMax, timestampMax } = this.#context.cellStore.limits
    const row = Buffer.from(key).toString('hex')
    const requireAtMost = (maximum: number, actual: number, what: string) => {
      if (actual <= maximum) return
      throw new StorageError(
        'limit_exceeded',
        `The other store cannot hold the row ${row}: ${what} of ${actual} is too much, the most there is ${maximum}.`,
        { row, maximum, actual },
      )
    }
    requireAtMost(rowKeyBytesMax, key.length, 'a key')
    for (const { value, timestamp } of cells) {
      requireAtMost(cellBytesMax, value.length, 'a value')
      requireAtMost(timestampMax, timestamp, 'a timestamp')
    }
  }
}

export function cellsOf(row: Row | null | undefined): readonly Cell[] {
  return row?.cells ?? []
}

/** Rejects with CellStoreError when the store did not take them after many attempts, or never will. */
export async function sentUntilApplied(
  context: RowWriterDependencies,
  entries: readonly RowMutations[],
): Promise<void> {
  let backoff = new Backoff(context, RETRY)
  for (let left = entries; left.length > 0; ) {
    const sent = left
    const answers = await context.cellStore
      .mutateRows(sent)
      .catch((error: unknown) => sent.map(() => error))
    left = sent.filter((_, index) => answers[index] != null)
    if (left.length === 0) return
    const error = answers.find((answer) => answer != null)
    if (left.length < sent.length) backoff = new Backoff(context, RETRY)
    if (!mayPass(error) || !(await backoff.wait())) throw error
  }
}

/** A lost answer is no reason to stop: sending it twice does no harm. */
function mayPass(error: unknown): boolean {
  return error instanceof CellStoreError && error.kind !== 'invalid' && error.kind !== 'closed'
}

function addressOf({ family, qualifier, timestamp }: Cell): string {
  return `${family} ${timestamp} ${qualifier}`
}

function partsOf(mutations: readonly Mutation[]) {
  const parts: Array<{ mutations: Mutation[]; bytes: number }> = []
  let part: (typeof parts)[number] | undefined
  for (const mutation of mutations) {
    const valueBytes = mutation.kind === 'setCell' ? mutation.value.length : 0
    const bytes = valueBytes + mutation.qualifier.length + CELL_OVERHEAD_BYTES
    const isFull =
      part !== undefined &&
      (part.mutations.length >= MUTATION_CELLS || part.bytes + bytes > MUTATION_BYTES)
    if (part === undefined || isFull) {
      part = { mutations: [], bytes: 0 }
      parts.push(part)
    }
    part.mutations.push(mutation)
    part.bytes += bytes
  }
  return parts
}

const RETRY = { firstMs: 20, totalMs: 60_000 }
