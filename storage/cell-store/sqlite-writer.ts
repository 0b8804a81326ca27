// SPDX-License-Identifier: Apache-2.0
import { CellStoreError } from './cell-store.ts'
import type {
  CheckAndMutateStep,
  GroupApplier,
  GroupResult,
  IncrementStep,
  RowStep,
  RowStepOutcome,
} from './sqlite-row-steps.ts'

const GROUP_STEPS_MAX = 1_000
const GROUP_BYTES_MAX = 4 * 1024 * 1024

type QueuedStep = {
  readonly step: RowStep
  readonly bytes: number
  readonly resolve: (outcome: Exclude<RowStepOutcome, CellStoreError>) => void
  readonly reject: (error: CellStoreError) => void
}

/**
 * Group commit: the steps that arrive within one turn of the event loop become durable together, by
 * one SQLite transaction and one sync. They take effect in the order in which they were queued.
 */
export class SqliteWriter {
  readonly #applier: GroupApplier
  readonly #onFatal: (error: CellStoreError) => void
  #queue: QueuedStep[] = []
  #flushScheduled = false
  #closedBy: CellStoreError | undefined

  constructor(applier: GroupApplier, onFatal: (error: CellStoreError) => void) {
    this.#applier = applier
    this.#onFatal = onFatal
  }

  /** Resolves once the step is on disk. */
  submit(step: CheckAndMutateStep): Promise<boolean>
  submit(step: IncrementStep): Promise<bigint[]>
  submit(step: RowStep): Promise<boolean | bigint[]> {
    return new Promise((resolve, reject) => {
      if (this.#closedBy !== undefined) return reject(this.#closedBy)
      this.#queue.push({ step, bytes: bytesOf(step), resolve, reject })
      this.#scheduleFlush()
    })
  }

  /** Throws when the store was closed, by `close` or by a failure of the disk. */
  assertOpen(): void {
    if (this.#closedBy !== undefined) throw this.#closedBy
  }

  /** A failure after which the file must not be touched again before it is opened anew. */
  fail(cause: unknown): CellStoreError {
    if (this.#closedBy !== undefined) return this.#closedBy
    const message = 'The cell store failed and must be opened anew.'
    this.#closedBy = new CellStoreError('closed', message, { cause })
    // What is still queued has certainly not been applied.
    for (const { reject } of this.#queue.splice(0)) reject(this.#closedBy)
    this.#onFatal(this.#closedBy)
    return this.#closedBy
  }

  /** Carries out what is queued; later steps are refused. */
  close(): void {
    while (this.#queue.length > 0) this.#flushGroup()
    this.#closedBy ??= new CellStoreError('closed', 'The cell store is closed.')
  }

  #scheduleFlush(): void {
    if (this.#flushScheduled) return
    this.#flushScheduled = true
    setImmediate(() => {
      this.#flushScheduled = false
      this.#flushGroup()
      if (this.#queue.length > 0) this.#scheduleFlush()
    })
  }

  #flushGroup(): void {
    const group = this.#takeGroup()
    if (group.length === 0) return
    const result = this.#applier.applyGroup(group.map(({ step }) => step))
    if (result.kind === 'committed') this.#answer(group, result.outcomes)
    else this.#refuse(group, result)
  }

  #answer(group: readonly QueuedStep[], outcomes: readonly RowStepOutcome[]): void {
    for (const [at, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[at] as RowStepOutcome
      if (outcome instanceof CellStoreError) reject(outcome)
      else resolve(outcome)
    }
  }

  #refuse(
    group: readonly QueuedStep[],
    { kind, cause }: Exclude<GroupResult, { kind: 'committed' }>,
  ) {
    const error =
      kind === 'notApplied'
        ? new CellStoreError('notApplied', 'The write was rolled back.', { cause })
        : new CellStoreError('ambiguous', 'The write may or may not be on disk.', { cause })
    for (const { reject } of group) reject(error)
    if (kind === 'unknown') this.fail(cause)
  }

  /** From the front of the queue; a step larger than the bound is a group of its own. */
  #takeGroup(): QueuedStep[] {
    let count = 0
    let bytes = 0
    for (const queued of this.#queue) {
      bytes += queued.bytes
      if (count > 0 && (count === GROUP_STEPS_MAX || bytes > GROUP_BYTES_MAX)) break
      count += 1
    }
    return this.#queue.splice(0, count)
  }
}

function bytesOf(step: RowStep): number {
  if (step.kind === 'increment') return 0
  let bytes = 0
  for (const mutations of [step.ifMatched, step.otherwise]) {
    for (const mutation of mutations) {
      if (mutation.kind === 'setCell') bytes += step.row.length + mutation.value.length
    }
  }
  return bytes
}
