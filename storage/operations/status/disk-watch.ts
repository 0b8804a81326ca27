// SPDX-License-Identifier: Apache-2.0
import type { CellStore, DiskUse } from '../../cells/cell-store.ts'
import { diskFull } from '../../cells/disk-full.ts'
import { type Clock, repeat } from '../../clock.ts'
import type { StorageError } from '../../errors.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import type { StorageLog } from '../../storage-log.ts'
import { PageCheck } from './page-check.ts'

/** Of a small disk the reserve is this share, and not `diskBytesMin`. */
const RESERVE_SHARE = 0.05
const LOOK_MS = 1_000
/** A write that the disk refused says for so long that it is full, whatever the file system says. */
const REFUSAL_MS = 10_000

export type DiskStatus = DiskUse & {
  /** Writes are refused, because less than the reserve is left or the disk itself has refused one. */
  readonly isFull: boolean
}

/**
 * Keeps a reserve of the disk free: for deletions, for collecting garbage, and for the oracle's mark, without
 * which no transaction can commit. From the reserve down, writes that make the store larger are refused.
 *
 *     disk of 100 GB                  reserve 256 MiB
 *     disk of 1 GB                    reserve 50 MB (5 %)
 *     40 MB are left                  INSERT: disk_full     DELETE, DROP, collection: go on
 *     0 are left, as others write too   all writes: disk_full, by SQLite's word; reads go on
 */
export class DiskWatch {
  readonly pages: PageCheck
  readonly #cellStore: CellStore
  readonly #clock: Clock
  readonly #log: StorageLog
  readonly #stopping = new AbortController()
  #use: DiskUse | undefined
  #refusal: StorageError | undefined
  #refusedUntilMs = Number.NEGATIVE_INFINITY
  #running: Promise<void> = Promise.resolve()

  constructor(parts: {
    readonly cellStore: CellStore
    readonly clock: Clock
    readonly log: StorageLog
  }) {
    this.#cellStore = parts.cellStore
    this.#clock = parts.clock
    this.#log = parts.log
    this.pages = new PageCheck(parts)
  }

  /** Looks for the first time, and from then on each second. Never looks at a store on no disk. */
  async start(): Promise<void> {
    if (this.#cellStore.diskUse === undefined) return
    await this.#look()
    this.pages.start()
    const { signal } = this.#stopping
    this.#running = repeat(this.#clock, { everyMs: LOOK_MS, signal, work: () => this.#look() })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    await this.pages.stop()
  }

  /** Why nothing that makes the store larger may be written; undefined while there is room. */
  get refusal(): StorageError | undefined {
    return this.#refusal
  }

  /** Undefined where there is no disk. */
  get status(): DiskStatus | undefined {
    if (this.#use === undefined) return undefined
    const wasRefused = this.#clock.monotonicMs() < this.#refusedUntilMs
    return { ...this.#use, isFull: wasRefused || this.#refusal !== undefined }
  }

  /** The disk has refused a write. */
  refusedWrite(): void {
    if (this.#cellStore.diskUse === undefined) return
    this.#refusedUntilMs = this.#clock.monotonicMs() + REFUSAL_MS
  }

  async #look(): Promise<void> {
    this.#use = await this.#cellStore.diskUse?.()
    if (this.#use === undefined) return
    this.pages.look(this.#use)
    const { freeBytes, sizeBytes } = this.#use
    const reserveBytes = Math.min(STORAGE_LIMITS.diskBytesMin, RESERVE_SHARE * sizeBytes)
    const hadHeadroom = this.#refusal === undefined
    this.#refusal = freeBytes < reserveBytes ? diskFull(freeBytes) : undefined
    const hasHeadroom = this.#refusal === undefined
    if (hadHeadroom && !hasHeadroom) {
      this.#log.error(
        { freeBytes, reserveBytes },
        'the disk of the data directory is nearly full; writes that need more of it are refused until it has room',
      )
    } else if (!hadHeadroom && hasHeadroom) {
      this.#log.info({ freeBytes }, 'the disk of the data directory has room again; writes go on')
    }
  }
}
