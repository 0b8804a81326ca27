// SPDX-License-Identifier: Apache-2.0
import type { Row } from '../../storage/cells/cell.ts'
import {
  CellStoreError,
  type CellStoreLimits,
  type CheckAndMutate,
  type Increment,
  type KeyRange,
  type RowMutations,
  type RowScan,
} from '../../storage/cells/cell-store.ts'
import { CheckedCellStore } from '../../storage/cells/checked-cell-store.ts'
import type { Mutation } from '../../storage/cells/mutation.ts'
import type { RowFilter } from '../../storage/cells/row-filter.ts'
import { CallError, mutationError, readError } from '../network/call-errors.ts'
import { CallsUnderWay } from '../network/calls-under-way.ts'
import { status } from '../network/status.ts'
import { TurnReads } from '../network/turn-reads.ts'
import type { WireFilter } from './bigtable-messages.ts'
import { RowReads } from './bigtable-reads.ts'
import type { OpenedTable } from './bigtable-table.ts'
import { wireFilter } from './filter-encoding.ts'
import { mutationBatches } from './mutation-batches.ts'
import { wireMutations } from './row-encoding.ts'
import { splitPointsOf } from './split-points.ts'
import { hasPlace } from './timestamp-encoding.ts'

/** The service's own bound; a longer filter is refused. */
const FILTER_BYTES_MAX = 20_480

/** The cells of one table of Bigtable. Many processes may have it open at once. */
export class BigtableCellStore extends CheckedCellStore {
  readonly atomicScope = 'row'
  readonly limits: CellStoreLimits
  readonly #table: OpenedTable
  readonly #names: { readonly tableName: string; readonly appProfileId: string }
  readonly #reads: RowReads
  readonly #turnReads = new TurnReads(
    async (keys, filter) => await this.#reads.rows(keys, this.#filter(filter) as WireFilter),
    (filter) => this.#bytesOf(this.#wire(filter)) <= FILTER_BYTES_MAX,
  )
  readonly #calls = new CallsUnderWay('The table of Bigtable is closed.')

  constructor(table: OpenedTable) {
    super()
    this.#table = table
    this.#names = { tableName: table.path, appProfileId: table.profile }
    this.#reads = new RowReads(table, this.#names)
    this.limits = table.limits
  }

  get requestsSent(): ReadonlyMap<string, number> {
    return this.#table.transport.requestsSent
  }

  protected async changeRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    return await this.#calls.run(async () => {
      const trueMutations = this.#encoded(step.ifMatched)
      const falseMutations = this.#encoded(step.otherwise)
      const predicateFilter = this.#filter(step.when)
      if (predicateFilter === undefined) {
        if (falseMutations.length > 0) await this.#mutateRow(row, falseMutations)
        return false
      }
      // Bigtable wants something to do.
      if (trueMutations.length === 0 && falseMutations.length === 0) {
        const [found] = await this.#reads.rows([row], predicateFilter)
        return found !== null
      }
      const mutations = { predicateFilter, trueMutations, falseMutations }
      const request = { ...this.#names, rowKey: row, ...mutations }
      const { predicateMatched = false } = await this.#table.transport
        .unary('CheckAndMutateRow', request)
        .catch(throwMutationError)
      return predicateMatched
    })
  }

  protected async changeRows(
    entries: readonly RowMutations[],
  ): Promise<Array<CellStoreError | null>> {
    return await this.#calls.run(async () => {
      const errors = new Array<CellStoreError | null>(entries.length).fill(null)
      const sent = entries.flatMap(({ row, mutations }, at) => {
        const encoded = this.#encoded(mutations)
        return encoded.length === 0 ? [] : [{ at, rowKey: row, mutations: encoded }]
      })
      for (const batch of mutationBatches(sent)) {
        const [first] = batch
        if (batch.length === 1 && first !== undefined) {
          const { at, rowKey, mutations } = first
          errors[at] = await this.#mutateRow(rowKey, mutations).then(() => null, mutationError)
        } else await this.#mutateBatch(batch, errors)
      }
      return errors
    })
  }

  protected async rowsOf(
    keys: readonly Uint8Array[],
    filter: RowFilter,
  ): Promise<Array<Row | null>> {
    return await this.#calls.run(async () => {
      // One that is too long fails alone.
      if (this.#filter(filter) === undefined) return keys.map(() => null)
      return await this.#turnReads.rows(keys, filter)
    })
  }

  protected async *scan(scan: RowScan): AsyncIterable<Row> {
    this.#calls.requireOpen()
    const filter = this.#filter(scan.filter)
    if (filter === undefined) return
    yield* this.#whileOpen(this.#reads.scan(scan, filter), scan.signal)
  }

  protected async *scanEach(ranges: readonly KeyRange[], filter: RowFilter): AsyncIterable<Row> {
    this.#calls.requireOpen()
    const wire = this.#filter(filter)
    if (wire !== undefined) yield* this.#whileOpen(this.#reads.scanRanges(ranges, wire))
  }

  async *#whileOpen(rows: AsyncIterable<Row>, signal?: AbortSignal): AsyncIterable<Row> {
    for await (const row of rows) {
      signal?.throwIfAborted()
      this.#calls.requireOpen()
      yield row
      signal?.throwIfAborted()
      this.#calls.requireOpen()
    }
  }

  protected async increment(row: Uint8Array, increments: readonly Increment[]): Promise<bigint[]> {
    return await this.#calls.run(async () => {
      if (increments.length === 0) return []
      const rules = increments.map(({ family, qualifier, by }) => ({
        ...{ familyName: family, columnQualifier: Buffer.from(qualifier) },
        incrementAmount: String(by),
      }))
      try {
        const request = { ...this.#names, rowKey: row, rules }
        const answer = await this.#table.transport.unary('ReadModifyWriteRow', request)
        return sumsOf(increments, countersOf(answer.row))
      } catch (error) {
        throw await this.#incrementError(error, row, increments)
      }
    })
  }

  async splitPoints(): Promise<Uint8Array[]> {
    return await this.#calls.run(async () => {
      try {
        const samples = this.#table.transport.stream('SampleRowKeys', this.#names)
        return splitPointsOf(await Array.fromAsync(samples))
      } catch (error) {
        throw readError(error)
      }
    })
  }

  async close(): Promise<void> {
    await this.#calls.close(() => this.#table.transport.close())
  }

  /** Refuses a cell at a timestamp that has none on the wire. */
  protected override checkMore(mutations: readonly Mutation[]): void {
    for (const mutation of mutations) {
      if (mutation.kind !== 'setCell' || hasPlace(mutation.timestamp)) continue
      const { timestamp } = mutation
      throw new CellStoreError('invalid', `Bigtable keeps no cell at ${timestamp}, before 2026.`)
    }
  }

  #encoded(mutations: readonly Mutation[]) {
    return wireMutations(mutations, this.limits.timestampMax)
  }

  #filter(filter: RowFilter): WireFilter | undefined {
    const wire = this.#wire(filter)
    const bytes = this.#bytesOf(wire)
    if (bytes <= FILTER_BYTES_MAX) return wire
    throw new CellStoreError(
      'invalid',
      `A filter has at most ${FILTER_BYTES_MAX} bytes; this one has ${bytes}.`,
    )
  }

  #wire(filter: RowFilter): WireFilter | undefined {
    return wireFilter(filter, this.limits.timestampMax)
  }

  #bytesOf(filter: WireFilter | undefined): number {
    if (filter === undefined) return 0
    const empty = { tableName: '', appProfileId: '', rows: {} }
    return this.#table.transport.bytesOf('ReadRows', { ...empty, filter })
  }

  async #mutateRow(rowKey: Uint8Array, mutations: ReturnType<typeof wireMutations>): Promise<void> {
    const request = { ...this.#names, rowKey, mutations }
    await this.#table.transport.unary('MutateRow', request).catch(throwMutationError)
  }

  async #mutateBatch(
    batch: ReadonlyArray<{
      readonly at: number
      readonly rowKey: Uint8Array
      readonly mutations: ReturnType<typeof wireMutations>
    }>,
    errors: Array<CellStoreError | null>,
  ): Promise<void> {
    // Until its own status has come, nobody knows of an entry whether it was applied.
    const unanswered = new Set(batch.map(({ at }) => at))
    let lost: CellStoreError | undefined
    try {
      const entries = batch.map(({ rowKey, mutations }) => ({ rowKey, mutations }))
      const answers = this.#table.transport.stream('MutateRows', { ...this.#names, entries })
      for await (const answer of answers) {
        for (const { index = '0', status: ended } of answer.entries ?? []) {
          const { at } = batch[Number(index)] as { at: number }
          unanswered.delete(at)
          const { code = 0, message = '' } = ended ?? {}
          errors[at] = code === 0 ? null : mutationError(new CallError(code, message))
        }
      }
    } catch (error) {
      lost = mutationError(error)
    }
    for (const at of unanswered) {
      errors[at] = lost ?? new CellStoreError('ambiguous', 'Bigtable did not answer for this row.')
    }
  }

  /** Bigtable says of a cell that is no counter only that something was wrong. */
  async #incrementError(
    error: unknown,
    row: Uint8Array,
    increments: readonly Increment[],
  ): Promise<CellStoreError> {
    const failed = mutationError(error)
    const code = error instanceof CallError ? error.code : undefined
    const mayBeNoCounter = [status.UNKNOWN, status.INVALID_ARGUMENT, status.FAILED_PRECONDITION]
    if (!mayBeNoCounter.some((one) => one === code)) return failed
    const newest = this.#filter(
      increments.map(({ family, qualifier }) => ({ family, qualifier, newest: 1 })),
    ) as WireFilter
    const [found] = await this.#reads.rows([row], newest)
    const isNoCounter = found?.cells.some(({ value }) => value.length !== 8) ?? false
    return isNoCounter
      ? new CellStoreError('invalid', 'A counter has 8 bytes; a cell of this row has not.')
      : failed
  }
}

function throwMutationError(error: unknown): never {
  throw mutationError(error)
}

type CounterRow = { readonly families?: ReadonlyArray<CounterFamily> }
type CounterFamily = {
  readonly name: string
  readonly columns?: ReadonlyArray<{
    readonly qualifier?: Uint8Array
    readonly cells?: ReadonlyArray<{ readonly value?: Uint8Array }>
  }>
}

/** The newest value of each column, by family and qualifier. */
function countersOf({ families = [] }: CounterRow): Map<string, bigint> {
  const counters = new Map<string, bigint>()
  for (const { name, columns = [] } of families) {
    for (const { qualifier = new Uint8Array(), cells = [] } of columns) {
      const value = Buffer.from(cells[0]?.value ?? Buffer.alloc(8))
      counters.set(`${name} ${Buffer.from(qualifier)}`, value.readBigInt64BE())
    }
  }
  return counters
}

/** A column that is named twice is answered once, with its last value: earlier ones are counted backward from it. */
function sumsOf(increments: readonly Increment[], counters: Map<string, bigint>): bigint[] {
  const sums: bigint[] = []
  for (const { family, qualifier, by } of increments.toReversed()) {
    const column = `${family} ${qualifier}`
    const sum = counters.get(column) ?? 0n
    sums.push(sum)
    counters.set(column, BigInt.asIntN(64, sum - by))
  }
  return sums.reverse()
}
