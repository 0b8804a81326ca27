// SPDX-License-Identifier: Apache-2.0
import type { Cell } from '../../storage/cells/cell.ts'
import type { Increment } from '../../storage/cells/cell-store.ts'
import { counterValue } from '../../storage/cells/mutation-application.ts'
import { chooseCells } from '../../storage/cells/row-filter-evaluation.ts'
import { invariant } from '../../storage/invariant.ts'
import type { Compactor } from './compactor.ts'
import { changeError, pauseBefore } from './etcd-changes.ts'
import type { Comparison, EtcdClient, EtcdTransaction, Operation } from './etcd-client.ts'
import type { EtcdLayout } from './etcd-layout.ts'
import { imageIn, type RowImage, readOperations } from './etcd-row.ts'
import type { RowImages } from './row-images.ts'

/** Sums that are tried at once, where other processes increase the counter as well. */
const SUMS_MAX = 32
/** The least that two of them differ by: more than most increments, so that one of another process is one step. */
const STEP_MIN = 16n
/** After so many increments without another process only one sum is tried: the request is shorter. */
const CALM_INCREMENTS = 1_000
const ATTEMPTS_MAX = 10

/** An increment of one counter that may be more than asked for, and what it knows of it. */
type Known = {
  readonly increment: Increment
  readonly cell: Cell
  readonly value: bigint
}

/**
 * Increments of a counter by many processes at once. etcd cannot add, and a sum that was computed here is wrong when
 * another process was quicker: of all that try at the same time one would get on in each round trip. But it compares a
 * value with a range, and an increment may be more than asked for (`Increment.towards`). So one transaction tries
 * ascending sums, each for a range of values below it, and the counter gets the first that is large enough:
 *
 *     known 100, by 1, steps of 16:     up to 100 -> 101     up to 116 -> 117     up to 132 -> 133     …
 *
 * However many processes there are, each waits for one round trip, as long as the counter has not passed the last sum.
 */
export class EtcdCounters {
  readonly #client: EtcdClient
  readonly #layout: EtcdLayout
  readonly #images: RowImages
  readonly #compactor: Compactor
  #calm = CALM_INCREMENTS

  constructor(parts: {
    readonly client: EtcdClient
    readonly layout: EtcdLayout
    readonly images: RowImages
    readonly compactor: Compactor
  }) {
    this.#client = parts.client
    this.#layout = parts.layout
    this.#images = parts.images
    this.#compactor = parts.compactor
  }

  /** Undefined where it is a change like any other: nothing is known of a counter, or it may not be more. */
  async increase(row: Uint8Array, increments: readonly Increment[]): Promise<bigint[] | undefined> {
    let image = this.#images.get(row)
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const known = knownIn(image, increments)
      if (known === undefined) return undefined
      await pauseBefore(attempt)
      const sums = sumsOf(known, this.#calm < CALM_INCREMENTS ? SUMS_MAX : 1)
      const found = await this.#try(row, known, sums)
      image = found.image
      this.#images.remember(row, image)
      if (!found.isIncreased) {
        this.#calm = 0
        continue
      }
      const values = increments.map((increment) => newestValue(image, increment))
      const value = values[increments.indexOf(known.increment)]
      const isMore = value !== undefined && value >= known.value + known.increment.by
      invariant(isMore, 'E2', { known: known.value, by: known.increment.by, value })
      this.#calm = value === sums[0] ? this.#calm + 1 : 0
      return values.map((one) => one ?? 0n)
    }
    return undefined
  }

  async #try(
    row: Uint8Array,
    { cell, increment }: Known,
    sums: readonly bigint[],
  ): Promise<{ readonly isIncreased: boolean; readonly image: RowImage }> {
    const key = this.#layout.cell(row, cell)
    const read = readOperations(this.#layout, row)
    const head = { requestPut: { key: this.#layout.head(row), value: new Uint8Array() } }
    const largest = sums.at(-1) as bigint
    const increase: EtcdTransaction = {
      compare: [isAtMost(key, largest - increment.by)],
      success: [...firstSum(key, sums, increment.by), head],
      failure: [],
    }
    // A younger cell of the column would be the counter.
    const younger = { key: this.#layout.column(row, cell).key, rangeEnd: key }
    const {
      header,
      succeeded,
      responses = [],
    } = await this.#client
      .transaction({
        compare: [{ ...younger, target: 'VERSION', result: 'EQUAL', version: '0' }],
        success: [{ requestTxn: increase }, ...read],
        failure: read,
      })
      .catch((error) => {
        throw changeError(error)
      })
    this.#compactor.saw(header.revision)
    const isIncreased = succeeded === true && responses[0]?.responseTxn?.succeeded === true
    return { isIncreased, image: imageIn(this.#layout, responses, header.revision) }
  }
}

/** The operations that write the first of these sums that is at least `by` above the value; the last one is. */
function firstSum(key: Uint8Array, sums: readonly bigint[], by: bigint): Operation[] {
  const [sum, ...larger] = sums as [bigint, ...bigint[]]
  if (larger.length === 0) return [{ requestPut: { key, value: counterBytes(sum) } }]
  const half = sums.length >> 1
  const smaller = sums.slice(0, half)
  const compare = [isAtMost(key, (smaller.at(-1) as bigint) - by)]
  const success = firstSum(key, smaller, by)
  return [{ requestTxn: { compare, success, failure: firstSum(key, sums.slice(half), by) } }]
}

/** Both are not negative, so their bytes compare as the numbers do. */
function isAtMost(key: Uint8Array, value: bigint): Comparison {
  return { key, target: 'VALUE', result: 'LESS', value: counterBytes(value + 1n) }
}

function sumsOf({ increment, value }: Known, count: number): bigint[] {
  const { by, towards = 0n } = increment
  const least = value + by > towards ? value + by : towards
  const step = by > STEP_MIN ? by : STEP_MIN
  return Array.from({ length: count }, (_, at) => least + BigInt(at) * step)
}

/** One may be more, and the others are read with it. */
function knownIn(image: RowImage, increments: readonly Increment[]): Known | undefined {
  const [increment, ...more] = increments.filter(({ by }) => by !== 0n)
  if (increment?.towards === undefined || increment.by < 0n || more.length > 0) return undefined
  const values = increments.map((one) => newestValue(image, one))
  if (values.includes(undefined)) return undefined
  const value = values[increments.indexOf(increment)] as bigint
  const [cell] = chooseCells(image.cells, [newestOf(increment)])
  return value < 0n || cell === undefined ? undefined : { increment, cell, value }
}

function newestValue(image: RowImage, increment: Increment): bigint | undefined {
  const [cell] = chooseCells(image.cells, [newestOf(increment)])
  return cell?.value.length === 8 ? counterValue(cell.value) : undefined
}

function newestOf({ family, qualifier }: Increment) {
  return { family, qualifier, newest: 1 }
}

function counterBytes(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(value)
  return bytes
}
