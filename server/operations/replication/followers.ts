// SPDX-License-Identifier: Apache-2.0
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  Clock,
  Primary,
  ReplicationFrame,
  Storage,
  StreamPosition,
} from '../../../storage/storage.ts'
import { ServerError } from '../../errors/server-error.ts'
import { SERVER_LIMITS } from '../../limits.ts'

/** What a standby asks for: what it has, durably, and how it wants more. */
export type GroupsOrder = StreamPosition & {
  readonly visible?: number
  readonly waitMs?: number
  readonly bytesMax?: number
  /** Where clients reach it. */
  readonly address?: string
}

/** A standby as it was last heard of. */
export type Follower = {
  readonly address: string
  /** Up to this group it has everything, durably. */
  readonly number: number
  readonly groupsBehind: number
  /** How long ago it asked. */
  readonly seenMs: number
}

/** A copy, to be read and closed; its file has no name any more. */
export type OpenCopy = {
  readonly file: FileHandle
  readonly bytes: number
  readonly sha256: string
}

const COPY = /^standby-copy-\d+\.partial$/
const WAIT_MS = 10_000
/** One that has not asked for so long is not shown any more. */
const FORGOTTEN_MS = 3600_000

/** Those who follow this server. Of each a few numbers are kept, and nothing waits for it in memory. */
export class Followers {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #folder: string
  readonly #seen = new Map<string, { readonly number: number; readonly seenMs: number }>()
  #isCopying = false
  #reading = 0

  constructor(deps: {
    readonly storage: Storage
    readonly clock: Clock
    /** That of the store. */
    readonly folder: string
  }) {
    this.#storage = deps.storage
    this.#clock = deps.clock
    this.#folder = deps.folder
  }

  get list(): readonly Follower[] {
    const nowMs = this.#clock.monotonicMs()
    const last = this.#storage.primary?.position?.number ?? 0
    return [...this.#seen].map(([address, { number, seenMs }]) => {
      const groupsBehind = Math.max(0, last - number)
      return { address, number, groupsBehind, seenMs: Math.round(nowMs - seenMs) }
    })
  }

  /**
   * A copy of the store to follow from. One is made at a time. Rejects with ServerError `overloaded` and `not_enabled`,
   * and with StorageError `not_primary` and `disk_full`.
   */
  async copy(signal: AbortSignal): Promise<OpenCopy> {
    const primary = this.#primary()
    if (this.#isCopying) throw new ServerError('overloaded', 'Another standby is being copied.')
    this.#isCopying = true
    const path = join(this.#folder, `standby-copy-${process.pid}.partial`)
    try {
      await this.#removeLeft()
      const copied = await primary.copyInto(path, signal)
      return { file: await open(path), ...copied }
    } finally {
      // Whoever reads it has it open.
      await rm(path, { force: true })
      this.#isCopying = false
    }
  }

  /**
   * What follows what a standby has. Rejects with ServerError `overloaded` and `not_enabled`, with StorageError
   * `not_primary` and `replication_position_lost`, and with the signal's reason.
   */
  async groups(order: GroupsOrder, signal: AbortSignal): Promise<ReplicationFrame> {
    const {
      stream,
      number,
      visible = 0,
      waitMs = WAIT_MS,
      bytesMax = SERVER_LIMITS.followBytesMax,
    } = order
    const primary = this.#primary()
    if (this.#reading >= SERVER_LIMITS.followersMax) {
      throw new ServerError('overloaded', 'As many standbys follow as may.')
    }
    this.#reading += 1
    try {
      const frame = await primary.frame({
        after: { stream, number },
        visible,
        bytesMax,
        waitMs,
        signal,
      })
      this.#note(order.address ?? '', number)
      return frame
    } finally {
      this.#reading -= 1
    }
  }

  #primary(): Primary {
    const { primary, notPrimary } = this.#storage
    if (notPrimary !== undefined) throw notPrimary
    if (primary !== undefined) return primary
    throw new ServerError('not_enabled', 'Only a database in a folder can be followed.')
  }

  #note(address: string, number: number): void {
    const seenMs = this.#clock.monotonicMs()
    this.#seen.delete(address)
    this.#seen.set(address, { number, seenMs })
    for (const [one, { seenMs: ms }] of this.#seen) {
      const isOver = this.#seen.size > SERVER_LIMITS.followersMax
      if (isOver || seenMs - ms > FORGOTTEN_MS) this.#seen.delete(one)
    }
  }

  /** What a server that was killed has left. */
  async #removeLeft(): Promise<void> {
    const names = await readdir(this.#folder)
    for (const name of names.filter((one) => COPY.test(one))) {
      await rm(join(this.#folder, name), { force: true })
    }
  }
}
