// SPDX-License-Identifier: Apache-2.0
import type { Cell, Timestamp } from '../../cells/cell.ts'
import type { ProtocolStep } from '../../cells/cell-store.ts'
import type { DeleteFromColumn, Mutation } from '../../cells/mutation.ts'
import { keyString } from '../../cells/row-key.ts'
import { decodeStartTs, decodeWriteRecord } from '../records/write-record.ts'
import { type InspectedCell, inspectedCell, type RowPart } from '../row-inspection.ts'
import type { WatchedMutation, Watcher } from './step-watch.ts'

/** What one mutation of the protocol has done to a row. */
export type SeenStep = {
  /** The position of the row among the keys. */
  readonly at: number
  readonly step: ProtocolStep
  /** The startTs of the transaction, where the step is of one. */
  readonly transaction: Timestamp | undefined
  readonly set: readonly InspectedCell[]
  /** Cells of a column in a range of timestamps, whether or not there were any. */
  readonly erased: readonly DeleteFromColumn[]
}

/** Steps that wait for the first cells to be read; then some are left out. */
const HELD_MAX = 1_000

/**
 * The cells of some rows and, without a gap, the steps that change them after that. The first cells are an image that
 * is taken while mutations are under way, so those that were under way at that moment are looked for in it: as they
 * take effect in their order, all up to the last one that is there are in it.
 */
export class FollowedRows implements Watcher {
  readonly #keys: readonly Uint8Array[]
  readonly #listener: (step: SeenStep) => void
  readonly #leftOut: (count: number) => void
  readonly #underWay = new Map<WatchedMutation, readonly Mutation[]>()
  /** Calls from before the image was there; undefined before it was asked for. */
  #early: Set<WatchedMutation> | undefined
  /** In the order in which they were settled; undefined when steps are told at once. */
  #held: WatchedMutation[] | undefined = []
  #settled = Promise.withResolvers<void>()
  #isStopped = false
  /** Steps that could not be held. */
  #missed = 0

  /** `leftOut` is told how many steps could not be held until `release`, after those that could. */
  constructor(
    keys: readonly Uint8Array[],
    listener: (step: SeenStep) => void,
    leftOut: (count: number) => void,
  ) {
    this.#keys = keys
    this.#listener = listener
    this.#leftOut = leftOut
  }

  called(mutation: WatchedMutation, all: readonly Mutation[]): void {
    this.#underWay.set(mutation, all)
  }

  settled(mutation: WatchedMutation): void {
    this.#underWay.delete(mutation)
    this.#settled.resolve()
    this.#settled = Promise.withResolvers()
    if (mutation.mutations.length === 0 || this.#isStopped) return
    if (this.#held === undefined) this.#tell(mutation)
    else if (this.#held.length < HELD_MAX) this.#held.push(mutation)
    else this.#missed += 1
  }

  /** To be called before the image is read: what was settled before is in it. */
  asked(): void {
    this.#held = []
  }

  /** To be called in the turn in which the image is there. */
  answered(): void {
    this.#early = new Set([...(this.#held ?? []), ...this.#underWay.keys()])
  }

  /** Resolves when each mutation that was under way at the image is known to be in it, or to come after it. */
  async decide(images: ReadonlyArray<readonly Cell[]>): Promise<void> {
    const early = this.#early ?? new Set()
    while ([...this.#underWay.keys()].some((mutation) => early.has(mutation))) {
      await this.#settled.promise
    }
    const held = this.#held ?? []
    const last = held.findLastIndex(
      (mutation) =>
        early.has(mutation) &&
        this.#positions(mutation).every((at) => isIn(images[at] ?? [], mutation.mutations)),
    )
    this.#held = held.filter((mutation, index) => index > last || !early.has(mutation))
  }

  /** The part without long values of later transactions, of which the steps will tell. */
  withoutLater({ at, cells }: RowPart): RowPart {
    const key = keyString(this.#keys[at] as Uint8Array)
    const later = [...(this.#held ?? []), ...this.#underWay.keys()]
    const ofRow = later.filter(({ row }) => keyString(row) === key)
    if (ofRow.length === 0) return { at, cells }
    const mutations = ofRow.flatMap((one) => this.#underWay.get(one) ?? one.mutations)
    const isLater = (cell: InspectedCell) =>
      cell.family === 'data' && mutations.some((one) => one.kind === 'setCell' && isAt(one, cell))
    return { at, cells: cells.filter((cell) => !isLater(cell)) }
  }

  /** Tells of the steps that have waited, and from now on of each at once. */
  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const mutation of held) this.#tell(mutation)
    if (this.#missed > 0) this.#leftOut(this.#missed)
  }

  /** Nothing is told from now on, also of mutations that are under way. */
  stop(): void {
    this.#isStopped = true
  }

  #tell(mutation: WatchedMutation): void {
    for (const at of this.#positions(mutation)) this.#listener(seenStep(at, mutation))
  }

  #positions({ row }: WatchedMutation): number[] {
    const key = keyString(row)
    return [...this.#keys.keys()].filter((at) => keyString(this.#keys[at] as Uint8Array) === key)
  }
}

function seenStep(at: number, { row, step, mutations }: WatchedMutation): SeenStep {
  const set = mutations.flatMap((one) => (one.kind === 'setCell' ? [inspectedCell(row, one)] : []))
  const erased = mutations.filter((one) => one.kind === 'deleteFromColumn')
  return { at, step, transaction: transactionOf(step, mutations), set, erased }
}

/** The transaction whose records these are. */
function transactionOf(step: ProtocolStep, mutations: readonly Mutation[]): Timestamp | undefined {
  if (step === 'collect' || step === 'acknowledge' || step === 'notify') return undefined
  for (const one of mutations) {
    if (one.kind === 'deleteFromColumn') {
      if (one.family === 'lock') return one.timestamps.from
    } else if (one.family === 'lock' || one.family === 'rollback') {
      return one.timestamp
    } else if (one.family === 'write') {
      return decodeWriteRecord(one.value).startTs
    } else if (one.family === 'guard') {
      return decodeStartTs(one.value)
    }
  }
  return undefined
}

/** Whether an image of the records of a row shows what these mutations have done to it. */
function isIn(image: readonly Cell[], mutations: readonly Mutation[]): boolean {
  const records = mutations.filter(({ family }) => family !== 'data')
  const set = records.filter((one) => one.kind === 'setCell')
  if (set.length > 0) {
    return set.every((one) =>
      image.some((cell) => isAt(one, cell) && Buffer.from(cell.value).equals(one.value)),
    )
  }
  return !records.some((one) => image.some((cell) => isErased(one as DeleteFromColumn, cell)))
}

type Address = Pick<Cell, 'family' | 'qualifier' | 'timestamp'>

function isAt(one: Address, other: Address): boolean {
  return (
    one.family === other.family &&
    one.qualifier === other.qualifier &&
    one.timestamp === other.timestamp
  )
}

function isErased({ family, qualifier, timestamps }: DeleteFromColumn, cell: Cell): boolean {
  const { from = 0, until = Infinity } = timestamps
  const isOfColumn = cell.family === family && cell.qualifier === qualifier
  return isOfColumn && cell.timestamp >= from && cell.timestamp < until
}
