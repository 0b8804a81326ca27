// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { CellStoreError, type RangeWatch } from '../../cells/cell-store.ts'
import { StorageError, type StorageErrorCode } from '../../errors.ts'
import { invariant } from '../../invariant.ts'
import { nextTurn } from '../../turns/turns.ts'
import type { LockResolver } from '../percolator/lock-resolver.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import type { Follower } from './follower.ts'
import { LogTail } from './log-tail.ts'
import { SHARED_LOG_RANGE } from './shared-log-row.ts'

/** A pause ends at once, or as soon as the shortest one is over. */
type Wake = 'now' | 'soon'

export type JoinedTail = {
  /** Resolves when the follower is not told any more. */
  readonly left: Promise<void>
}

/**
 * The followers of the end of the log, and the one reader that tells all of them. While it finds nothing it looks after
 * a tenth of the time since it last found something, within bounds; where the engine hears of changes, after longer.
 */
export class TailFollowers {
  readonly #context: ProtocolContext
  readonly #resolver: LockResolver
  readonly #checkKept: (position: Timestamp) => Promise<void>
  /** Each is resolved when its follower is not told any more. */
  readonly #joined = new Map<Follower, PromiseWithResolvers<void>>()
  #tail: LogTail | undefined
  #watch: RangeWatch | undefined
  /** The tail is read, or joined, by one at a time. */
  #using: Promise<unknown> = Promise.resolve()
  #running: Promise<void> | undefined
  #wake = new AbortController()
  #told = Promise.withResolvers<void>()
  #foundMs = 0
  #stampedMs = 0

  constructor(
    context: ProtocolContext,
    resolver: LockResolver,
    checkKept: (position: Timestamp) => Promise<void>,
  ) {
    this.#context = context
    this.#resolver = resolver
    this.#checkKept = checkKept
  }

  committed(logRow: Uint8Array, commitTs: Timestamp): void {
    this.#tail?.committed(logRow, commitTs)
    this.#wakeUp(this.#isPatient ? 'soon' : 'now')
  }

  /**
   * Reads the last page for the follower, by `catchUp`, which resolves to whether it was the last one; from then on it
   * is told what comes. Resolves to undefined when it was not the last one.
   */
  async join(follower: Follower, catchUp: () => Promise<boolean>): Promise<JoinedTail | undefined> {
    return await this.#alone(async () => {
      if (!(await catchUp()) || follower.isStopped) return undefined
      const { position, everyMs } = follower
      this.#tail ??= new LogTail(this.#context, this.#resolver, position)
      // Its page went up to a timestamp that was taken since the tail was last read.
      invariant(position >= this.#tail.position, 'J8', { position, tail: this.#tail.position })
      const left = Promise.withResolvers<void>()
      this.#joined.set(follower, left)
      if (everyMs === undefined) follower.goLive()
      this.#foundMs = this.#context.clock.monotonicMs()
      this.#running ??= this.#run()
      this.#wakeUp('soon')
      return { left: left.promise }
    })
  }

  leave(follower: Follower): void {
    this.#joined.get(follower)?.resolve()
    this.#joined.delete(follower)
    if (this.#joined.size === 0) this.#wakeUp('now')
  }

  /**
   * Waits until all live followers have been told everything up to the timestamp, which has been issued. Resolves to
   * whether that is settled then: false where none is live.
   */
  async toldUpTo(timestamp: Timestamp): Promise<boolean> {
    while (this.#isAnyLiveBefore(timestamp)) {
      this.#wakeUp('now')
      await this.#told.promise
    }
    return this.#tail !== undefined && this.#tail.position >= timestamp
  }

  /** Resolves when nothing is read any more; all followers have left. */
  async ended(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    const { cellStore } = this.#context
    this.#watch = cellStore.watchRange?.(SHARED_LOG_RANGE, () => this.#wakeUp('soon'))
    let isDue = true
    while (this.#joined.size > 0) {
      if (!isDue) await this.#pause(this.#wake)
      // Once, or a busy log would be read without a pause.
      isDue = (await this.#tellNews()) && !isDue
    }
    this.#watch?.stop()
    this.#tail = undefined
    this.#running = undefined
  }

  /** Resolves to whether there is more to tell at once. */
  async #tellNews(): Promise<boolean> {
    try {
      return await this.#alone(() => this.#readAndTell())
    } catch (error) {
      for (const follower of this.#joined.keys()) follower.fallBehind()
      // Each finds out by itself what is wrong, from its own position.
      if (!mayPass(error)) this.#dismiss()
      return false
    } finally {
      this.#told.resolve()
      this.#told = Promise.withResolvers()
    }
  }

  async #readAndTell(): Promise<boolean> {
    const tail = this.#tail
    if (tail === undefined) return false
    const { clock, oracle } = this.#context
    const before = tail.position
    // So that the position of an idle log does not fall behind the safe point.
    if (clock.monotonicMs() - this.#stampedMs > STAMP_EVERY_MS) {
      await oracle.nextToRead()
      this.#stampedMs = clock.monotonicMs()
    }
    const { commits, isNews, isMoreKnown } = await tail.read()
    if (isNews) this.#foundMs = clock.monotonicMs()
    await this.#checkKept(before)
    let rows = 0
    for (const commit of commits) {
      for (const follower of this.#joined.keys()) follower.tell(commit, commit.hinted)
      rows += commit.rows.length + commit.hinted.length
      if (rows < TURN_ROWS) continue
      rows = 0
      await nextTurn()
    }
    for (const follower of this.#joined.keys()) {
      follower.passed(tail.position)
      if (follower.everyMs === undefined) follower.goLive()
    }
    return isMoreKnown
  }

  #dismiss(): void {
    this.#tail = undefined
    for (const follower of this.#joined.keys()) this.leave(follower)
  }

  /** Runs what uses the tail after all that came before. */
  async #alone<T>(use: () => Promise<T>): Promise<T> {
    const using = this.#using.then(use)
    this.#using = using.catch(() => undefined)
    return await using
  }

  async #pause(wake: AbortController): Promise<void> {
    const { clock } = this.#context
    const { leastMs, mostMs } = this.#pauses()
    const beganMs = clock.monotonicMs()
    for (let leftMs = mostMs; leftMs > 0; ) {
      const { signal } = wake
      await clock.sleep(leftMs, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
      if (!signal.aborted) return
      if (this.#wake === wake) this.#wake = new AbortController()
      if (signal.reason === 'now') return
      leftMs = beganMs + leastMs - clock.monotonicMs()
      wake = this.#wake
    }
  }

  #pauses() {
    const leastMs = this.#isPatient ? this.#everyMs : POLL_MS_MIN
    const isHeard = this.#watch?.isHearing === true && this.#tail?.isWaiting === false
    if (isHeard) return { leastMs, mostMs: HEARING_POLL_MS }
    const idleMs = this.#context.clock.monotonicMs() - this.#foundMs
    return { leastMs, mostMs: Math.max(leastMs, Math.min(idleMs / 10, POLL_MS_MAX)) }
  }

  /** Whether nobody follows live. */
  get #isPatient(): boolean {
    return this.#everyMs > 0
  }

  get #everyMs(): number {
    const all = [...this.#joined.keys()].map(({ everyMs = 0 }) => everyMs)
    return all.length === 0 ? 0 : Math.min(...all)
  }

  /** Ends the pause of the tail, if there is one. */
  #wakeUp(wake: Wake): void {
    const { aborted, reason } = this.#wake.signal
    if (aborted && wake === 'now' && reason === 'soon') this.#wake = new AbortController()
    this.#wake.abort(wake)
  }

  #isAnyLiveBefore(timestamp: Timestamp): boolean {
    for (const { isLive, position } of this.#joined.keys()) {
      if (isLive && position < timestamp) return true
    }
    return false
  }
}

export function isCode(error: unknown, code: StorageErrorCode): boolean {
  return error instanceof StorageError && error.code === code
}

/** Whether the next attempt may succeed: the store did not respond, or a lock's owner still lives. */
export function mayPass(error: unknown): boolean {
  return error instanceof CellStoreError ? error.kind !== 'closed' : isCode(error, 'locked')
}

/** Milliseconds between two reads for the commits of other processes, while somebody follows live. */
const POLL_MS_MIN = 50
const POLL_MS_MAX = 2_000
/** Where the engine hears of changes. */
const HEARING_POLL_MS = 20_000
const STAMP_EVERY_MS = 20_000
/** Rows that are told in one turn. */
const TURN_ROWS = 1_000
