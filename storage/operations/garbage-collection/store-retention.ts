// SPDX-License-Identifier: Apache-2.0
import { type CellStore, requireAnswers } from '../../cells/cell-store.ts'
import { writeRefusalOf } from '../../cells/disk-full.ts'
import { numberBytes, readPlainRow, replacePlainRow, setPlain } from '../../cells/plain-row.ts'
import { systemRowKey } from '../../cells/row-key.ts'
import type { Clock } from '../../clock.ts'
import { StorageError } from '../../errors.ts'
import { intact } from '../../invariant.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import type { StorageLog } from '../../storage-log.ts'
import { addFeature } from '../../transactions/history/format-features.ts'
import { askedAgain, NEVER_ABORTED } from '../../transactions/oracle/asked-again.ts'
import type { Retention } from './safe-point.ts'

/**
 * How long the store keeps history, in milliseconds. All who have the store open go by this row, whatever they were
 * started with: otherwise the shortest of their retentions would end the history of all.
 *
 *     00 "retention"   86400000 (8 bytes)
 */
export const RETENTION_ROW = systemRowKey('retention')
export const RETENTION_BYTES = 8

/** What a process is started with. */
export type WantedRetention = Retention & {
  /** Whether nobody has chosen it, so that a row that says something else is no surprise. */
  readonly isDefault?: boolean
}

/** What a new store keeps where nothing is said. */
export const A_DAY: WantedRetention = Object.freeze({
  ...{ retentionMs: 24 * 3600 * 1_000, heldMsMax: 3600 * 1_000 },
  isDefault: true,
})

/** Whether the store takes writes, and how they get to it. */
type Gate = {
  readonly refusal: StorageError | undefined
  pass(write: () => Promise<void>): Promise<void>
}

type StoreRetentionDependencies = {
  readonly cellStore: CellStore
  readonly clock: Clock
  readonly log: StorageLog
  readonly gate: Gate
  /** Whether nobody else writes to the store: the row is read once. */
  readonly isOnlyOwner: boolean
}

/**
 * The retention of the store. A shorter one needs no care: the collections that read it raise the safe point, as they
 * always do, and F1 and F2 stop who reads or writes below it, on any gateway. A longer one brings nothing back.
 */
export class StoreRetention {
  readonly #deps: StoreRetentionDependencies
  readonly #wanted: WantedRetention
  #knownMs: number
  #isRead = false

  constructor(deps: StoreRetentionDependencies, wanted: WantedRetention) {
    this.#deps = deps
    this.#wanted = wanted
    this.#knownMs = wanted.retentionMs
  }

  /**
   * Reads the row, which the first process that opens the store for writing makes of what it was started with. A store
   * without room for it is kept by that as well. Rejects with CellStoreError.
   */
  async open(): Promise<void> {
    const { clock, log, gate } = this.#deps
    if (gate.refusal !== undefined) {
      await this.read()
      return
    }
    const { retentionMs, isDefault = false } = this.#wanted
    try {
      await askedAgain(clock, NEVER_ABORTED, () => this.#readOrMake())
    } catch (error) {
      if (writeRefusalOf(error) === undefined) throw error
    }
    if (isDefault || this.#knownMs === retentionMs) return
    const facts = { retentionMs: this.#knownMs, wantedMs: retentionMs }
    log.warn(facts, 'the store has a retention of its own, which counts; ALTER STORE changes it')
  }

  /** As the row says now; where there is none, as this process was started. Rejects with CellStoreError. */
  async read(): Promise<Retention> {
    if (!this.#isRead || !this.#deps.isOnlyOwner) await this.#readRow()
    return { retentionMs: this.#knownMs, heldMsMax: this.#wanted.heldMsMax }
  }

  /**
   * Sets the row, whatever it says. Of two who do so at once the later one counts. Rejects with StorageError
   * `invalid_definition`, `disk_full`, `no_second_copy` and that of a store that takes no writes, with CellStoreError,
   * and with the signal's reason.
   */
  async set(retentionMs: number, signal: AbortSignal): Promise<void> {
    const { cellStore, clock, gate } = this.#deps
    requireRetention(retentionMs)
    const mutations = [setPlain(numberBytes(retentionMs))]
    const write = async () => {
      await addFeature(cellStore, 'retention')
      requireAnswers(await cellStore.mutateRows([{ row: RETENTION_ROW, mutations }]))
    }
    try {
      await gate.pass(() => askedAgain(clock, signal, write))
    } catch (error) {
      throw writeRefusalOf(error) ?? error
    }
    this.#knownMs = retentionMs
  }

  async #readOrMake(): Promise<void> {
    const { cellStore } = this.#deps
    const found = await readPlainRow(cellStore, RETENTION_ROW)
    if (found === undefined) {
      // Before the row: a version that does not know it would collect by its own flag.
      await addFeature(cellStore, 'retention')
      const own = numberBytes(this.#wanted.retentionMs)
      // Of several that open a new store at once, one makes it.
      await replacePlainRow(cellStore, RETENTION_ROW, undefined, own)
    }
    await this.#readRow()
  }

  async #readRow(): Promise<void> {
    const found = await readPlainRow(this.#deps.cellStore, RETENTION_ROW)
    if (found !== undefined) this.#knownMs = decodeRetention(found)
    this.#isRead = true
  }
}

/** Throws StorageError `invalid_definition` for one that no flag could have. */
function requireRetention(retentionMs: number): void {
  const { retentionMsMax } = STORAGE_LIMITS
  if (retentionMs >= 1 && retentionMs <= retentionMsMax) return
  throw new StorageError(
    'invalid_definition',
    `A retention is from 1 millisecond to ${Math.floor(retentionMsMax / DAY_MS)} days.`,
    { limit: 'retentionMsMax', max: retentionMsMax, actual: retentionMs },
  )
}

function decodeRetention(value: Uint8Array): number {
  const isWhole = value.length === RETENTION_BYTES
  const retentionMs = isWhole ? Number(Buffer.from(value).readBigInt64BE()) : Number.NaN
  intact(retentionMs >= 0, 'G1', { damaged: 'retention', length: value.length })
  return retentionMs
}

const DAY_MS = 24 * 3600 * 1_000
