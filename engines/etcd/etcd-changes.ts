// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import type { Cell } from '../../storage/cells/cell.ts'
import { CellStoreError } from '../../storage/cells/cell-store.ts'
import { CallError, mutationError } from '../network/call-errors.ts'
import { status } from '../network/status.ts'
import type { Compactor } from './compactor.ts'
import type {
  EtcdClient,
  EtcdTransaction,
  OperationAnswer,
  TransactionAnswer,
} from './etcd-client.ts'
import type { Column, EtcdLayout } from './etcd-layout.ts'
import {
  columnsTransaction,
  imageIn,
  OPERATIONS_MAX,
  type RowImage,
  rowTransaction,
  TRANSACTION_BYTES_MAX,
  writtenBytes,
} from './etcd-row.ts'
import type { RowImages } from './row-images.ts'

/** Rows of one transaction: each is a transaction in it, and those may have as many operations less. */
const ROWS_MAX = 60
/** Transactions that are sent at once by one call. */
const SENT_AT_ONCE = 8
/** A change whose row others change meanwhile is given up; each time somebody got on. */
const ATTEMPTS_MAX = 100
const CHANGE_MS_MAX = 8_000
const PAUSE_MS_MAX = 64

/** A change of one row. */
export type Change<T> = {
  readonly row: Uint8Array
  /** All columns that it looks at and writes; undefined where it looks at whole families. */
  readonly columns: readonly Column[] | undefined
  /**
   * What becomes of these cells, and the answer; the cells are undefined where they stay. Throws CellStoreError
   * `invalid`.
   */
  of(cells: readonly Cell[]): Changed<T>
}
type Changed<T> = { readonly cells: readonly Cell[] | undefined; readonly answer: T }

/** A change of which `at` is its position in the call, as it would be if its row were this image. */
type Supposed<T> = {
  readonly change: Change<T>
  readonly at: number
  readonly image: RowImage
  readonly after: readonly Cell[]
  readonly answer: T | CellStoreError
  readonly transaction: EtcdTransaction
  readonly isByColumns: boolean
}

/** Changes of rows, each under the condition that its row is what was supposed. */
export class EtcdChanges {
  readonly #client: EtcdClient
  readonly #layout: EtcdLayout
  readonly #images: RowImages
  readonly #compactor: Compactor

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

  /** Resolves to the answer of each change, or its error. A row stands in one of them only. */
  async make<T>(changes: readonly Change<T>[]): Promise<Array<T | CellStoreError>> {
    const answers = new Array<T | CellStoreError>(changes.length)
    const untilMs = performance.now() + CHANGE_MS_MAX
    let left = changes.map((change, at) => ({ change, at, image: this.#images.get(change.row) }))
    for (let attempt = 1; left.length > 0; attempt++) {
      if (attempt > ATTEMPTS_MAX || performance.now() > untilMs) {
        for (const { at } of left) answers[at] = changedByOthers(attempt - 1)
        break
      }
      await pauseBefore(attempt)
      const failed: typeof left = []
      const supposed = left.map((one) => this.#suppose(one, attempt))
      const packs = packsOf(supposed).values()
      const worker = async () => {
        for (const pack of packs) failed.push(...(await this.#send(pack, answers)))
      }
      await Promise.all(Array.from({ length: SENT_AT_ONCE }, worker))
      left = failed
    }
    return answers
  }

  /** The first time the whole row is compared. Where another column changes all the time, that would not do. */
  #suppose<T>(one: Pick<Supposed<T>, 'change' | 'at' | 'image'>, attempt: number): Supposed<T> {
    const { change, image } = one
    const { row, columns } = change
    const { cells: after = image.cells, answer } = changed(change, image.cells)
    const byColumns =
      attempt === 1 || columns === undefined
        ? undefined
        : columnsTransaction(this.#layout, row, image, { columns, after })
    const transaction = byColumns ?? rowTransaction(this.#layout, row, image, after)
    const isByColumns = byColumns !== undefined
    const tooLarge = tooLargeError(transaction)
    if (tooLarge === undefined) return { ...one, after, answer, transaction, isByColumns }
    // It is only certain that it is too large if the row is what was supposed.
    const unchanged = rowTransaction(this.#layout, row, image, image.cells)
    return {
      ...one,
      after: image.cells,
      answer: tooLarge,
      transaction: unchanged,
      isByColumns: false,
    }
  }

  /** Sets the answers of those whose row was what was supposed; resolves to the others, with their rows as they are. */
  async #send<T>(
    pack: readonly Supposed<T>[],
    answers: Array<T | CellStoreError>,
  ): Promise<Array<Pick<Supposed<T>, 'change' | 'at' | 'image'>>> {
    let answer: TransactionAnswer
    try {
      answer = await this.#client.transaction(joined(pack))
    } catch (error) {
      for (const { at } of pack) answers[at] = changeError(error)
      return []
    }
    const { revision } = answer.header
    this.#compactor.saw(revision)
    const failed: Array<Pick<Supposed<T>, 'change' | 'at' | 'image'>> = []
    for (const [index, { succeeded = false, responses = [] }] of parted(pack, answer).entries()) {
      const one = pack[index] as Supposed<T>
      const image = this.#imageAfter(one, { succeeded, responses, revision })
      this.#images.remember(one.change.row, image)
      if (succeeded) answers[one.at] = one.answer
      else failed.push({ change: one.change, at: one.at, image })
    }
    return failed
  }

  #imageAfter(
    { image, after, transaction, isByColumns }: Supposed<unknown>,
    {
      succeeded,
      responses,
      revision,
    }: {
      readonly succeeded: boolean
      readonly responses: readonly OperationAnswer[]
      readonly revision: string
    },
  ): RowImage {
    if (!succeeded || isByColumns) return imageIn(this.#layout, responses, revision)
    const asOf = Number(revision)
    if (transaction.success.length === 0) return { ...image, asOf }
    return { revision: after.length === 0 ? '0' : revision, asOf, cells: after }
  }
}

function changed<T>(change: Change<T>, cells: readonly Cell[]): Changed<T | CellStoreError> {
  try {
    return change.of(cells)
  } catch (error) {
    if (error instanceof CellStoreError) return { cells: undefined, answer: error }
    throw error
  }
}

/** Together at most as large as etcd takes; of a row that needs more by itself it is alone. */
function packsOf<T>(supposed: readonly Supposed<T>[]): Array<Supposed<T>[]> {
  const packs: Array<Supposed<T>[]> = []
  let pack: Supposed<T>[] = []
  let [operations, bytes] = [0, 0]
  for (const one of supposed) {
    const { success } = one.transaction
    const [more, longer] = [Math.max(success.length, 1), writtenBytes(success)]
    const isFull =
      pack.length >= ROWS_MAX ||
      operations + more > OPERATIONS_MAX ||
      bytes + longer > TRANSACTION_BYTES_MAX
    if (isFull && pack.length > 0) {
      packs.push(pack)
      pack = []
      operations = 0
      bytes = 0
    }
    pack.push(one)
    operations += more
    bytes += longer
  }
  if (pack.length > 0) packs.push(pack)
  return packs
}

/** One by itself, else each as a transaction in one that compares nothing: so each succeeds or fails for itself. */
function joined(pack: readonly Supposed<unknown>[]): EtcdTransaction {
  const [first] = pack
  if (pack.length === 1 && first !== undefined) return first.transaction
  const success = pack.map(({ transaction }) => ({ requestTxn: transaction }))
  return { compare: [], success, failure: [] }
}

function parted(
  pack: readonly Supposed<unknown>[],
  answer: TransactionAnswer,
): ReadonlyArray<Omit<TransactionAnswer, 'header'>> {
  if (pack.length === 1) return [answer]
  return (answer.responses ?? []).map(({ responseTxn = {} }) => responseTxn)
}

function tooLargeError({ success }: EtcdTransaction): CellStoreError | undefined {
  const operations = success.filter((one) => !('requestRange' in one)).length
  if (operations > OPERATIONS_MAX) {
    return new CellStoreError(
      'invalid',
      `A change of a row is at most ${OPERATIONS_MAX} operations of etcd; this one is ${operations}.`,
    )
  }
  const bytes = writtenBytes(success)
  if (bytes <= TRANSACTION_BYTES_MAX) return undefined
  return new CellStoreError(
    'invalid',
    `A change of a row has at most ${TRANSACTION_BYTES_MAX} bytes in etcd; this one has ${bytes}.`,
  )
}

function changedByOthers(attempts: number): CellStoreError {
  return new CellStoreError(
    'notApplied',
    `The row was changed by others each of the ${attempts} times that it was compared.`,
  )
}

/** From the third attempt on a random time, so that those who change a row at once do not meet again. */
export async function pauseBefore(attempt: number): Promise<void> {
  if (attempt > 2) await delay(Math.random() * Math.min(2 ** attempt, PAUSE_MS_MAX))
}

/** What a failed transaction means for the changes in it. */
export function changeError(error: unknown): CellStoreError {
  const isFull = error instanceof CallError && error.code === status.RESOURCE_EXHAUSTED
  if (isFull) return new CellStoreError('full', (error as CallError).message, { cause: error })
  return mutationError(error)
}
