// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { answerEach, CellStoreError, type ProtocolStep } from '../../cells/cell-store.ts'
import { decoratedStore } from '../../cells/decorated-cell-store.ts'
import type { Clock } from '../../clock.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import type { WriteSet } from './write-set.ts'

/** A commit of more rows is not slowed down: one that loads data would take hours. */
const PACED_ROWS_MAX = 10

/** A commit that was made to stand still, and its last mutation; none when it has sent none. */
export type StoppedCommit = {
  readonly startTs: Timestamp
  readonly last: { readonly step: ProtocolStep; readonly row: Uint8Array } | undefined
}

/**
 * Slows commits down for people who watch: one mutation after the other, each followed by a wait, where there would be
 * many at a time. A commit can be made to stand still for good, as if its process had died: nothing that it sends
 * arrives any more. As the process lives, it says itself that this commit is over, so the next transaction that meets
 * a lock of it need not wait until the lock has expired.
 */
export class CommitPace {
  readonly #delayMs: number
  readonly #clock: Clock
  readonly #stopping = new AbortController()
  readonly #commits = new Map<Timestamp, PacedCommit>()

  constructor(delayMs: number, clock: Clock) {
    this.#delayMs = delayMs
    this.#clock = clock
  }

  /** Undefined for a commit that is not slowed down: of many rows, or of rows that the store keeps for itself only. */
  begin(context: ProtocolContext, { startTs, primary, secondaries }: WriteSet) {
    const rows = [primary, ...secondaries].filter(({ row }) => isOfTable(row))
    if (rows.length === 0 || rows.length > PACED_ROWS_MAX) return undefined
    const wait = (signal: AbortSignal) =>
      this.#clock.sleep(this.#delayMs, AbortSignal.any([signal, this.#stopping.signal]))
    const commit = new PacedCommit(context, wait, () => this.#commits.delete(startTs))
    this.#commits.set(startTs, commit)
    return commit
  }

  /** Undefined where no transaction that began then is committing. */
  kill(startTs: Timestamp): StoppedCommit | undefined {
    const commit = this.#commits.get(startTs)
    return commit === undefined ? undefined : { startTs, last: commit.kill() }
  }

  /** Ends the waits: what is under way goes on without them. */
  stop(): void {
    this.#stopping.abort()
  }
}

class PacedCommit {
  /** What the commit is to use. */
  readonly context: ProtocolContext
  readonly #inner: ProtocolContext
  readonly #wait: (signal: AbortSignal) => Promise<void>
  readonly #ended: () => void
  readonly #killing = new AbortController()
  #last: StoppedCommit['last']
  #queue: Promise<unknown> = Promise.resolve()
  #hasSecondaries = false

  constructor(
    inner: ProtocolContext,
    wait: (signal: AbortSignal) => Promise<void>,
    ended: () => void,
  ) {
    this.#inner = inner
    this.#wait = wait
    this.#ended = ended
    this.context = {
      ...inner,
      cellStore: decoratedStore(inner.cellStore, {
        checkAndMutateRow: (row, step) =>
          this.#oneByOne({ row, step: step.step }, () =>
            this.#inner.cellStore.checkAndMutateRow(row, step),
          ),
        checkAndMutateRows: (steps) =>
          answerEach(steps, (step) =>
            this.#oneByOne(step, () => this.#inner.cellStore.checkAndMutateRow(step.row, step)),
          ),
        mutateRows: (entries) =>
          this.#oneByOne({ row: entries[0]?.row, step: entries[0]?.step }, () =>
            this.#inner.cellStore.mutateRows(entries),
          ),
      }),
      background: {
        start: (name, work) => {
          this.#hasSecondaries = true
          inner.background.start(name, () => work().finally(ended))
        },
        drain: () => inner.background.drain(),
      },
    }
  }

  get isKilled(): boolean {
    return this.#killing.signal.aborted
  }

  kill(): StoppedCommit['last'] {
    this.#killing.abort()
    return this.#last
  }

  /** To be called when the commit has its outcome; its secondaries may still be under way. */
  decided(): void {
    if (!this.#hasSecondaries) this.#ended()
  }

  #oneByOne<T>(
    {
      row,
      step,
    }: { readonly row: Uint8Array | undefined; readonly step?: ProtocolStep | undefined },
    send: () => Promise<T>,
  ): Promise<T> {
    const result = this.#queue.then(async () => {
      this.#requireAlive()
      const answer = await send()
      if (row === undefined || step === undefined) return answer
      this.#last = { step, row }
      // The log of commits and outcome rows are part of it, and would only seem to be a longer wait.
      if (isOfTable(row) || step === 'commit')
        await this.#wait(this.#killing.signal).catch(() => {})
      this.#requireAlive()
      return answer
    })
    this.#queue = result.catch(() => {})
    return result
  }

  /** For the protocol it is as if the store were gone, so it sends nothing again and leaves the rest to others. */
  #requireAlive(): void {
    if (this.isKilled) throw new CellStoreError('closed', 'This commit was made to stand still.')
  }
}

/** Keys of the store's own rows begin with a zero. */
function isOfTable(row: Uint8Array): boolean {
  return row[0] !== 0x00
}
