// SPDX-License-Identifier: Apache-2.0
import { dirname } from 'node:path'
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import type {
  KeptGroups,
  SecondCopyMode,
  SecondCopyState,
  StoreReplication,
  StreamPosition,
} from '../../cells/store-replication.ts'
import type { Clock } from '../../clock.ts'
import type { ReadStamp } from '../../transactions/oracle/timestamp-oracle.ts'
import { hashOfFile, requireRoom } from '../backup/backup-files.ts'

/** Every commit up to `visible` is in the groups up to this number. */
type Mark = { readonly number: number; readonly visible: Timestamp }

/** What a standby gets at once. */
export type ReplicationFrame = {
  readonly groups: readonly Buffer[]
  /** Of the last group; that of the standby where there is none. */
  readonly position: StreamPosition
  /** Every commit up to here is in what the standby has then; undefined where that is not known for its position. */
  readonly visible: Timestamp | undefined
  /** No timestamp above it has been given out. */
  readonly newest: Timestamp
  readonly safePoint: Timestamp
  /** The last number that is durable here. */
  readonly last: number
}

/** Its SHA-256 in hexadecimal. */
export type CopiedFile = { readonly bytes: number; readonly sha256: string }

export type FrameRequest = {
  readonly after: StreamPosition
  /** Up to where the standby shows what it has; 0 where it does not say. */
  readonly visible: Timestamp
  readonly bytesMax: number
  /** How long to wait for a group where there is none. */
  readonly waitMs: number
  readonly signal: AbortSignal
}

type Waiting = Pick<FrameRequest, 'after' | 'waitMs' | 'signal'> & { readonly shown: Timestamp }

type Dependencies = {
  readonly cellStore: Pick<CellStore, 'openCopier' | 'diskUse'>
  readonly replication: StoreReplication
  readonly clock: Clock
  /** A timestamp for a read, taken now or, where none can be, the last one. */
  readonly stamp: () => Pick<ReadStamp, 'timestamp' | 'safePoint'>
  /** Every transaction that commits at or below is settled and in the view, as of this turn. */
  readonly resolved: () => Timestamp
  /** The timestamp of the newest transaction that was to be committed. */
  readonly newestCommit: () => Timestamp
}

const MARKS_MAX = 1_000
/** A commit whose group a standby has is settled in the turns that follow. */
const SETTLING_MS = 1
/** Of the disk, beside the copy: the log grows while it is made. */
const ROOM_LEFT_BYTES = 768 * 2 ** 20

/** A store that others follow. It keeps nothing for one of them: each says where it is. */
export class Primary {
  readonly #deps: Dependencies
  readonly #marks: Mark[] = []

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Undefined while nobody has followed. */
  get position(): StreamPosition | undefined {
    return this.#deps.replication.position
  }

  get kept(): KeptGroups | undefined {
    return this.#deps.replication.kept
  }

  /** From now on groups are kept: a copy that is made later can follow. */
  async begin(): Promise<void> {
    await this.#deps.replication.begin()
  }

  /**
   * From now on groups are answered only when a standby has them. Resolves to a promise that resolves when a standby
   * has all that is durable here by now, which may have been shown to nobody. Rejects with CellStoreError.
   */
  async demand(mode: SecondCopyMode): Promise<{ readonly copied: Promise<void> }> {
    const { replication } = this.#deps
    if (mode !== 'none') await replication.begin()
    replication.demand(mode)
    return { copied: replication.copied(replication.position?.number ?? 0) }
  }

  /** How many groups are durable here that no standby has said to have. */
  get groupsBehind(): number {
    return Math.max(0, (this.position?.number ?? 0) - this.secondCopy.copied)
  }

  get secondCopy(): SecondCopyState {
    return this.#deps.replication.secondCopy
  }

  /**
   * Copies the store as of one moment into a new file, which others can follow from. Rejects with StorageError
   * `disk_full`, with the signal's reason, and where the copy failed.
   */
  async copyInto(file: string, signal: AbortSignal): Promise<CopiedFile> {
    const { cellStore } = this.#deps
    await this.begin()
    const use = await cellStore.diskUse?.()
    if (use !== undefined) {
      await requireRoom(dirname(file), use.storeBytes + use.logBytes + ROOM_LEFT_BYTES)
    }
    signal.throwIfAborted()
    const copier = cellStore.openCopier?.()
    const end = () => void copier?.close()
    signal.addEventListener('abort', end)
    try {
      await copier?.copyTo(file)
      return await hashOfFile(file, signal)
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', end)
      await copier?.close()
    }
  }

  /**
   * What follows a position, or nothing after `waitMs`. Rejects with StorageError `replication_position_lost`, and with
   * the signal's reason.
   */
  async frame(request: FrameRequest): Promise<ReplicationFrame> {
    const answered = this.#deps.replication.asks()
    let wasAnswered = false
    try {
      const frame = await this.#frameAfter(request)
      wasAnswered = true
      return frame
    } finally {
      answered(wasAnswered)
    }
  }

  async #frameAfter({
    after,
    visible: shown,
    bytesMax,
    waitMs,
    signal,
  }: FrameRequest): Promise<ReplicationFrame> {
    const { replication, stamp, resolved } = this.#deps
    replication.heard(after)
    await this.#waitFor({ after, shown, waitMs, signal })
    const { timestamp, safePoint } = stamp()
    const last = replication.position?.number ?? 0
    this.#note({ number: last, visible: Math.min(timestamp, resolved()) })
    const { groups, position } = await replication.read(after, { bytesMax, signal })
    const mark = this.#marks.findLast(({ number }) => number <= position.number)
    const visible = mark?.visible
    return { groups, position, visible, newest: timestamp, safePoint, last }
  }

  /** Until there is a group, or the standby can show a commit that it has and that nobody was sure of before. */
  async #waitFor({ after, shown, waitMs, signal }: Waiting): Promise<void> {
    const { replication, clock, newestCommit, resolved } = this.#deps
    const untilMs = clock.monotonicMs() + waitMs
    while (shown < newestCommit() && replication.position?.number === after.number) {
      if (resolved() >= newestCommit() || clock.monotonicMs() >= untilMs) return
      await clock.sleep(SETTLING_MS, signal)
    }
    const waited = new AbortController()
    const ended = AbortSignal.any([signal, waited.signal])
    const timer = clock.sleep(waitMs, ended).then(
      () => waited.abort(),
      () => undefined,
    )
    await replication.grownBeyond(after.number, ended).catch(() => signal.throwIfAborted())
    waited.abort()
    await timer
  }

  #note(mark: Mark): void {
    this.#marks.push(mark)
    if (this.#marks.length > MARKS_MAX) this.#marks.shift()
  }
}
