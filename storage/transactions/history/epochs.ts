// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { numberBytes, readPlainRow, replacePlainRow } from '../../cells/plain-row.ts'
import { systemRowKey } from '../../cells/row-key.ts'
import { intact, invariant } from '../../invariant.ts'
import type { Randomness } from '../../randomness.ts'
import { readOracleState } from '../oracle/oracle-row.ts'

/** 24 hexadecimal digits: the timestamp above which it begins (14), and random ones (10). */
export type EpochId = string

type Epoch = {
  readonly id: EpochId
  /** No timestamp of it is above; 0 while it goes on. */
  readonly end: Timestamp
}

/**
 * One cell in the family `data`, qualifier `0`, of a row outside `history/`, which earlier versions read whole:
 *
 *     00 "epochs"   mergedUpTo (8 bytes), then for each epoch, ascending: id (12 bytes), end (8 bytes)
 */
export const EPOCHS_ROW = systemRowKey('epochs')
export const EPOCHS_BYTES_MIN = 8

const ID_BYTES = 12
const BEGIN_DIGITS = 14
const RANDOM_BYTES = 5
const EPOCH_BYTES = ID_BYTES + 8

/** Of more, the oldest are merged although the safe point is below: a server that dies over and over makes many. */
const EPOCHS_MAX = 1_000

/**
 * Each start of a store with one owner begins an epoch, and closes the one before at the mark that it finds: no process
 * has given out a timestamp above it. So a copy of the files that is put back does not take a timestamp for its own
 * that was given out after the copy was made, though its history has the same id:
 *
 *     epoch e1   the server runs; the files are copied while the mark is at 150; it goes on to 180
 *     the copy is put back and started   e1 ends at 150, e2 begins above it
 *     a bookmark 180 of e1               is of what is lost; so is every one of an epoch that is not here
 *     a bookmark 140 of e1               goes on
 *     a plain crash at 145               looks alike: e1 ends at 150, and every bookmark of it goes on
 *
 * Epochs below the safe point are merged: of them only the end of the last is known.
 */
export class Epochs {
  readonly #mergedUpTo: Timestamp
  readonly #epochs: readonly Epoch[]
  /** That of this process; undefined where several processes share the store. */
  readonly current: EpochId | undefined

  private constructor(mergedUpTo: Timestamp, epochs: readonly Epoch[], current?: EpochId) {
    this.#mergedUpTo = mergedUpTo
    this.#epochs = epochs
    this.current = current
  }

  /** The newest timestamp that the epoch can have; undefined where it is none of this store. */
  endOf(id: EpochId): Timestamp | undefined {
    const found = this.#epochs.find((epoch) => epoch.id === id)
    if (found !== undefined) return found.end === 0 ? Infinity : found.end
    return beginOf(id) <= this.#mergedUpTo ? this.#mergedUpTo : undefined
  }

  /** Pure: with the last one closed at the mark, the old ones merged, and another begun. */
  renewed({ mark, safePoint, random }: Renewal): Epochs {
    const closed = this.#epochs.map(({ id, end }) => ({ id, end: end === 0 ? mark : end }))
    const young = closed.filter(({ end }) => end > safePoint).slice(1 - EPOCHS_MAX)
    const merged = closed.slice(0, closed.length - young.length).at(-1)
    const mergedUpTo = closed.length === 0 ? mark : (merged?.end ?? this.#mergedUpTo)
    const id = (mark + 1).toString(16).padStart(BEGIN_DIGITS, '0') + random
    return new Epochs(mergedUpTo, [...young, { id, end: 0 }], id)
  }

  /** Pure: the same, named by the epoch that goes on, in a process that has not begun it. */
  continued(): Epochs {
    return new Epochs(this.#mergedUpTo, this.#epochs, this.#epochs.at(-1)?.id)
  }

  encode(): Uint8Array {
    const parts = this.#epochs.flatMap(({ id, end }) => [Buffer.from(id, 'hex'), numberBytes(end)])
    return Buffer.concat([numberBytes(this.#mergedUpTo), ...parts])
  }

  /** Throws on violations of H3. A store from before there were epochs has none. */
  static decode(value: Uint8Array | undefined): Epochs {
    const bytes = Buffer.from(value ?? numberBytes(0))
    const count = (bytes.length - EPOCHS_BYTES_MIN) / EPOCH_BYTES
    intact(Number.isInteger(count) && count >= 0, 'H3', { bytes: bytes.length })
    const epochs = Array.from({ length: count }, (_, index) => {
      const at = EPOCHS_BYTES_MIN + index * EPOCH_BYTES
      const id = bytes.toString('hex', at, at + ID_BYTES)
      return { id, end: Number(bytes.readBigInt64BE(at + ID_BYTES)) }
    })
    for (const [index, { id, end }] of epochs.entries()) {
      const isLast = index === epochs.length - 1
      const next = isLast ? Infinity : beginOf(epochs[index + 1]?.id ?? '')
      intact(isLast ? end === 0 : beginOf(id) - 1 <= end && end < next, 'H3', { id, end })
    }
    return new Epochs(Number(bytes.readBigInt64BE(0)), epochs)
  }
}

type Renewal = { readonly mark: Timestamp; readonly safePoint: Timestamp; readonly random: string }

function beginOf(id: EpochId): Timestamp {
  return Number.parseInt(id.slice(0, BEGIN_DIGITS), 16)
}

/** Rejects with CellStoreError. */
export async function readEpochs(cellStore: CellStore): Promise<Epochs> {
  return Epochs.decode(await readPlainRow(cellStore, EPOCHS_ROW))
}

/**
 * Begins an epoch, durably; only the one owner of a store may. To be called before an oracle is opened, which raises
 * the mark. Rejects with CellStoreError.
 */
export async function beginEpoch(cellStore: CellStore, randomness: Randomness): Promise<Epochs> {
  const found = await readPlainRow(cellStore, EPOCHS_ROW)
  const { timestamp: mark, safePoint } = await readOracleState(cellStore)
  const random = Buffer.from(randomness.bytes(RANDOM_BYTES)).toString('hex')
  const epochs = Epochs.decode(found).renewed({ mark, safePoint, random })
  const isOwn = await replacePlainRow(cellStore, EPOCHS_ROW, found, epochs.encode())
  invariant(isOwn, 'H3', { begun: 'by another process' })
  return epochs
}
