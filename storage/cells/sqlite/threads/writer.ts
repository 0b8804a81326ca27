// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '../../../clock.ts'
import { type Measures, UNMEASURED } from '../../../measures.ts'
import { CellStoreError } from '../../cell-store.ts'
import {
  DAMAGED,
  isDamage,
  isFull,
  isHeldByAnother,
  receivedError,
  type SentError,
} from '../error.ts'
import { encodedBytesMax } from '../groups/group-encoding.ts'
import {
  type BatchResult,
  isFailure,
  type LargeBatch,
  type WriteBatch,
} from '../groups/write-batch.ts'
import { RECORD_GROUP_BYTES_MAX, type Redo, type Route } from '../redo/redo.ts'
import type { SecondCopy } from '../replication/second-copy.ts'

/** Most steps of a group; a batch with more is a group of its own. */
export const GROUP_STEPS_MAX = 1_000
const GROUP_BYTES_MAX = 4 * 1024 * 1024

/** While the thread has one group, the next one can be built and sent; a third would only wait there. */
const GROUPS_UNDER_WAY_MAX = 2
/** Fewer batches in a second group are not worth its sync. */
const SECOND_GROUP_BATCHES_MIN = 16
/**
 * This many batches are sent before the end of their turn, which may bring as many again. With fewer, each sync and the
 * other costs of a group would be shared by fewer.
 */
const EARLY_GROUP_BATCHES_MIN = 64
/**
 * A group that takes longer per batch waits for the disk, and longer than it takes to make as many transactions. Then
 * one sync for all of them is better.
 */
const QUICK_BATCH_MS_MAX = 0.08

/** Which steps of the batch matched, or the new values of its counters. */
export type BatchAnswer = readonly boolean[] | readonly bigint[]

/** The result of nearly every batch: its one step has no condition, or one that did not match. */
const NOT_MATCHED: BatchAnswer = Object.freeze([false])

const ROLLED_BACK = 'The write was rolled back.'
const HELD = 'Another program holds the lock of cells.db.'

type QueuedBatch = {
  readonly batch: WriteBatch | LargeBatch
  readonly steps: number
  readonly bytes: number
  readonly queuedMs: number
  readonly resolve: (answer: BatchAnswer) => void
  readonly reject: (error: CellStoreError) => void
}

/**
 * Group commit: while a group is being made durable, the next one gathers. So the slower the disk, the larger the
 * groups, and 64 writers share one sync. Batches take effect in the order in which they were queued, and their promises
 * are settled in that order.
 *
 * Writers whose commits end together send the next ones together, and meanwhile the writer thread would be idle. So
 * while the disk is fast two groups may be under way, and a group is sent in the middle of a turn that brings many: the
 * writers of the first continue while the second is being written.
 */
export class SqliteWriter {
  readonly #redo: Pick<Redo, 'route' | 'commit' | 'flushAll' | 'stop'>
  readonly #beforeAnswers: () => void
  readonly #onFatal: (error: CellStoreError) => void
  readonly #freeBytes: () => number | undefined
  readonly #secondCopy: Pick<SecondCopy, 'mode' | 'isLacking'> | undefined
  readonly #measures: Measures
  #queue: QueuedBatch[] = []
  #flushScheduled = false
  /** Groups under way; a large batch counts as the maximum, and so does a flush that a batch waits for. */
  #underWay = 0
  #isDiskQuick = true
  #closedBy: CellStoreError | undefined
  #failure: CellStoreError | undefined
  #damage: CellStoreError | undefined
  #whenIdle: () => void = () => {}

  constructor(parts: {
    readonly redo: Pick<Redo, 'route' | 'commit' | 'flushAll' | 'stop'>
    /** Called in the turn in which the promises of a group are settled, before the first of them. */
    readonly beforeAnswers: () => void
    /** Told once when the disk failed. */
    readonly onFatal: (error: CellStoreError) => void
    /** The free bytes of the disk; called when it has refused a write. */
    readonly freeBytes?: () => number | undefined
    /** Whether no batch is taken now, because no standby takes one. */
    readonly secondCopy?: Pick<SecondCopy, 'mode' | 'isLacking'>
    readonly measures?: Measures
  }) {
    this.#redo = parts.redo
    this.#beforeAnswers = parts.beforeAnswers
    this.#onFatal = parts.onFatal
    this.#freeBytes = parts.freeBytes ?? (() => undefined)
    this.#secondCopy = parts.secondCopy
    this.#measures = parts.measures ?? UNMEASURED
  }

  /** Resolves to the batch's result once it is on disk. */
  submit(batch: WriteBatch | LargeBatch): Promise<BatchAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#closedBy !== undefined) return reject(this.#closedBy)
      if (this.#secondCopy?.mode === 'required' && this.#secondCopy.isLacking) {
        return reject(notCopied())
      }
      const { steps, bytes } = sizeOf(batch)
      const queuedMs = systemClock.monotonicMs()
      this.#queue.push({ batch, steps, bytes, queuedMs, resolve, reject })
      if (this.#isDiskQuick && this.#queue.length >= EARLY_GROUP_BATCHES_MIN) this.#flush()
      else this.#scheduleFlush()
    })
  }

  /** Throws when the store was closed, by `close` or by a failure of the disk. */
  assertOpen(): void {
    if (this.#closedBy !== undefined) throw this.#closedBy
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined
  }

  /**
   * Records a failure after which the file must not be used until it is reopened; returns the error of all later calls.
   */
  fail(cause: unknown): CellStoreError {
    if (this.#failure !== undefined) return this.#failure
    const message = 'The cell store failed and must be opened again.'
    this.#failure = new CellStoreError('closed', message, { cause })
    this.#closedBy ??= this.#failure
    this.#redo.stop()
    // What is still queued has certainly not been applied.
    for (const { reject } of this.#queue.splice(0)) reject(this.#failure)
    this.#onFatal(this.#failure)
    return this.#failure
  }

  /** The last damaged page that a write has met. */
  get damage(): CellStoreError | undefined {
    return this.#damage
  }

  /** A write or a flush has met a damaged page and was rolled back; returns its error. */
  metDamage(cause: unknown, row?: Uint8Array): CellStoreError {
    this.#damage = new CellStoreError('damaged', DAMAGED, { cause, ...(row && { row }) })
    return this.#damage
  }

  /** Resolves when the queued batches have been carried out; later batches are refused. */
  async close(): Promise<void> {
    this.#closedBy ??= new CellStoreError('closed', 'The cell store is closed.')
    if (this.#underWay === 0 && this.#queue.length === 0) return
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve
    })
  }

  /** A few batches of one turn are gathered, even when nothing is under way. */
  #scheduleFlush(): void {
    if (this.#flushScheduled || !this.#hasRoom()) return
    this.#flushScheduled = true
    setImmediate(() => {
      this.#flushScheduled = false
      this.#flush()
    })
  }

  #flush(): void {
    while (this.#hasRoom()) {
      const route = this.#redo.route(this.#queue[0] as QueuedBatch)
      if (route === 'tables after a flush') void this.#flushRedo()
      else void this.#carryOut(this.#takeGroup(route), route)
    }
    // The queued batches may have been refused since.
    if (this.#underWay === 0) this.#whenIdle()
  }

  /** Whether the first batch of the queue can be sent. */
  #hasRoom(): boolean {
    const first = this.#queue[0]
    if (first === undefined) return false
    if (this.#underWay === 0) return true
    if (this.#underWay + slotsOf(first) > GROUPS_UNDER_WAY_MAX || !this.#isDiskQuick) return false
    if (this.#queue.length < SECOND_GROUP_BATCHES_MIN) return false
    return this.#redo.route(first) !== 'after the records in flight'
  }

  async #carryOut(group: readonly QueuedBatch[], route: Route): Promise<void> {
    const slots = slotsOf(group[0] as QueuedBatch)
    const isRedo = route === 'redo log'
    this.#underWay += slots
    const sentMs = systemClock.monotonicMs()
    this.#measures.phaseTook('group_wait', sentMs - (group[0] as QueuedBatch).queuedMs)
    try {
      const { results, ms } = await this.#redo.commit(group, route)
      this.#learn(group.length, ms)
      this.#measures.batchesRouted(isRedo ? 'redo_log' : 'tables', group.length)
      this.#measures.phaseTook('sync', systemClock.monotonicMs() - sentMs)
      // A commit to the redo log has not changed the tables.
      if (!isRedo) this.#beforeAnswers()
      this.#answer(group, results)
    } catch (cause) {
      for (const { reject } of group) reject(inDoubt(cause))
      this.fail(cause)
    }
    this.#ended(slots)
  }

  /** Flushes the redo log while the queue waits. If that fails, the batch that needs it certainly was not applied. */
  async #flushRedo(): Promise<void> {
    this.#underWay += GROUPS_UNDER_WAY_MAX
    try {
      const failure = await this.#redo.flushAll()
      if (failure !== null) this.#answer(this.#queue.splice(0, 1), [failure])
    } catch (cause) {
      this.fail(cause)
    }
    this.#ended(GROUPS_UNDER_WAY_MAX)
  }

  #ended(slots: number): void {
    this.#underWay -= slots
    if (this.#queue.length > 0) this.#scheduleFlush()
    else if (this.#underWay === 0) this.#whenIdle()
  }

  /** For a few batches nearly all of the time is the sync, on any disk. */
  #learn(batches: number, ms: number): void {
    if (batches < SECOND_GROUP_BATCHES_MIN) return
    this.#isDiskQuick = ms / batches <= QUICK_BATCH_MS_MAX
  }

  #answer(group: readonly QueuedBatch[], results: readonly BatchResult[]): void {
    let lost: SentError | undefined
    for (let at = 0; at < group.length; at++) {
      const { resolve, reject, steps } = group[at] as QueuedBatch
      const result = results[at] as BatchResult
      if (!isFailure(result)) {
        resolve(result ?? (steps === 1 ? NOT_MATCHED : new Array<boolean>(steps).fill(false)))
        continue
      }
      const cause = receivedError(result.cause)
      if (result.kind === 'invalid') reject(new CellStoreError('invalid', cause.message))
      else if (result.kind === 'notApplied') reject(this.#notApplied(cause, result.row))
      else {
        reject(inDoubt(cause))
        lost ??= result.cause
      }
    }
    if (lost !== undefined) this.fail(receivedError(lost))
  }

  #notApplied(cause: Error, row?: Uint8Array): CellStoreError {
    if (isDamage(cause)) return this.metDamage(cause, row)
    if (isHeldByAnother(cause)) {
      return new CellStoreError('notApplied', HELD, { cause, isAway: true })
    }
    if (!isFull(cause)) return new CellStoreError('notApplied', ROLLED_BACK, { cause })
    return new CellStoreError('full', ROLLED_BACK, { cause, freeBytes: this.#freeBytes() })
  }

  /** From the front of the queue, as far as all have this route. A batch larger than the bounds is its own group. */
  #takeGroup(route: Route): QueuedBatch[] {
    let count = 0
    let steps = 0
    let bytes = 0
    const bytesMax = route === 'redo log' ? RECORD_GROUP_BYTES_MAX : GROUP_BYTES_MAX
    for (const queued of this.#queue) {
      steps += queued.steps
      bytes += queued.bytes
      if (count > 0 && (steps > GROUP_STEPS_MAX || bytes > bytesMax)) break
      if (count > 0 && this.#redo.route(queued) !== route) break
      count += 1
    }
    return this.#queue.splice(0, count)
  }
}

/**
 * How many of the `GROUPS_UNDER_WAY_MAX` slots a batch takes. A large batch takes all: it is built over several turns,
 * and no other may overtake it meanwhile.
 */
function slotsOf({ batch }: QueuedBatch): number {
  return batch.kind === 'large' ? GROUPS_UNDER_WAY_MAX : 1
}

function sizeOf(batch: WriteBatch | LargeBatch) {
  // A large batch fits no group, so it is a group of its own.
  const bytes = batch.kind === 'large' ? GROUP_BYTES_MAX : encodedBytesMax(batch)
  const steps = batch.kind === 'increment' ? 1 : batch.steps.length
  return { steps, bytes }
}

function notCopied(): CellStoreError {
  return new CellStoreError('notCopied', 'No standby takes a second copy.')
}

function inDoubt(cause: unknown): CellStoreError {
  return new CellStoreError('ambiguous', 'The write may or may not be on disk.', { cause })
}
