// SPDX-License-Identifier: Apache-2.0
import { type Clock, systemClock } from '../../../clock.ts'
import type { StorageLog } from '../../../storage-log.ts'
import type { MadeRoom } from './write-ahead-log.ts'

/** The log was restarted; if the disk is full again so soon, there is not much to be had. */
const PAUSE_MS = 1_000
/** The obstacle stays for a while: an operator has to free space, or a backup has to end. */
const AGAIN_MS = 5_000

/** For the operator: what was done, and what is left to do. */
const WHAT_WAS_DONE: Readonly<Record<MadeRoom['outcome'], string>> = {
  restarted:
    'the log was moved into the file and restarted, and writes go on; give the disk more room',
  isEmpty: 'the log holds nothing that could be moved; writes go on when the disk has more room',
  noRoom:
    'the file has no room for what is in the log; writes go on when the disk has at least missingBytes more',
  isRead:
    'the log cannot be restarted while another process reads it; writes go on when that ends or the disk has more room',
  isBusy: 'another process is moving the log, and it is tried again in a moment',
}

const READ_BY_COPY =
  'the log cannot be restarted while a backup or a check reads it; writes go on when that has ended or the disk has more room'

/**
 * A disk that has no space for a write may have space for everything in SQLite's log: the log holds each page as often
 * as it was written, and the file once. So a full disk calls for one attempt to move the log into the file and to
 * restart it, and not one for each write that is refused.
 */
export class SqliteFullDisk {
  readonly #makeRoom: () => Promise<MadeRoom | null>
  readonly #onFailure: (cause: unknown) => void
  readonly #log: StorageLog
  readonly #clock: Clock
  readonly #isCopied: () => boolean
  #notBefore = Number.NEGATIVE_INFINITY
  #underWay: Promise<void> | undefined

  constructor(parts: {
    /** Resolves to null if the log must not be touched any more. Rejects when the disk failed. */
    readonly makeRoom: () => Promise<MadeRoom | null>
    readonly onFailure: (cause: unknown) => void
    readonly log: StorageLog
    readonly clock?: Clock
    /** Whether a backup or a check reads the log. */
    readonly isCopied?: () => boolean
  }) {
    this.#makeRoom = parts.makeRoom
    this.#onFailure = parts.onFailure
    this.#log = parts.log
    this.#clock = parts.clock ?? systemClock
    this.#isCopied = parts.isCopied ?? (() => false)
  }

  /** A write was certainly not applied, because the disk is full. */
  refusedWrite(): void {
    if (this.#underWay !== undefined || this.#clock.monotonicMs() < this.#notBefore) return
    this.#underWay = this.#attempt()
      .catch(this.#onFailure)
      .finally(() => {
        this.#underWay = undefined
      })
  }

  /** Resolves when no attempt is under way. */
  async settled(): Promise<void> {
    await this.#underWay
  }

  async #attempt(): Promise<void> {
    const made = await this.#makeRoom()
    if (made === null) return
    const pauseMs = made.outcome === 'restarted' ? PAUSE_MS : AGAIN_MS
    this.#notBefore = this.#clock.monotonicMs() + pauseMs
    this.#say(made)
  }

  #say({ outcome, ...facts }: MadeRoom): void {
    const level = outcome === 'restarted' ? 'warn' : 'error'
    const full = 'the disk of the data directory is full and a write was refused'
    const isOfCopy = outcome === 'isRead' && this.#isCopied()
    this.#log[level](facts, `${full}; ${isOfCopy ? READ_BY_COPY : WHAT_WAS_DONE[outcome]}`)
  }
}
