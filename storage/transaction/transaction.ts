// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cell-store/cell.ts'
import { systemRowKey } from '../cell-store/row-key.ts'
import { StorageError } from '../errors.ts'
import type { LockResolver } from './lock-resolver.ts'
import type { ProtocolContext } from './protocol-context.ts'
import { overlayRow, overlayScan } from './read-your-writes.ts'
import { Snapshot } from './snapshot.ts'
import { type SnapshotRange, scanSnapshot } from './snapshot-scan.ts'
import { OUTCOME_COLUMN, outcomePath } from './transaction-id.ts'
import { type CommitOutcome, commitTwoPhase } from './two-phase-commit.ts'
import type { SnapshotRow } from './version.ts'
import {
  type BufferBudget,
  type BufferedRow,
  type BufferedWrite,
  WriteBuffer,
} from './write-buffer.ts'
import { planWriteSet } from './write-set.ts'

export type TransactionState = 'active' | 'committing' | 'committed' | 'rolledBack' | 'unknown'

/** `commitTs` is null when there was nothing to commit. */
export type CommitResult = { readonly commitTs: Timestamp | null }

export type TransactionParts = {
  readonly context: ProtocolContext
  readonly resolver: LockResolver
  readonly budget: BufferBudget
  /** Called once, when the transaction ends in whatever way. */
  readonly ended: (transaction: Transaction, outcome: CommitOutcome) => void
}

export type TransactionOptions = {
  readonly id: string
  readonly startTs: Timestamp
  readonly readOnly: boolean
  /** Whether the outcome can be asked for by the id after the process has ended. */
  readonly keepsOutcome: boolean
}

/**
 * A snapshot-isolated transaction (Percolator 2.2): reads see the store as of `startTs`, writes wait
 * in a buffer, and `commit` makes all of them visible at one `commitTs`, or none.
 *
 * One call at a time, but for `rollback`. Reads reject with StorageError `snapshot_too_old`,
 * `locked`, `transaction_closed`; writes throw `limit_exceeded`, `read_only_transaction`.
 */
export class Transaction {
  readonly id: string
  readonly startTs: Timestamp
  readonly readOnly: boolean
  readonly #keepsOutcome: boolean
  readonly #parts: TransactionParts
  readonly #snapshot: Snapshot
  readonly #buffer: WriteBuffer
  readonly #schemaScopes = new Set<number>()
  readonly #changedSchemas = new Set<number>()
  #state: TransactionState = 'active'
  #statement: { readonly layer: WriteBuffer; readonly signal: AbortSignal | undefined } | undefined
  #commit: Promise<CommitResult> | undefined

  constructor(parts: TransactionParts, options: TransactionOptions) {
    this.id = options.id
    this.startTs = options.startTs
    this.readOnly = options.readOnly
    this.#keepsOutcome = options.keepsOutcome
    this.#parts = parts
    this.#snapshot = new Snapshot(parts.context, parts.resolver, options.startTs)
    this.#buffer = new WriteBuffer(parts.budget)
  }

  get state(): TransactionState {
    return this.#state
  }

  /** Whether a commit would write anything. */
  get hasWrites(): boolean {
    return !this.#buffer.isEmpty
  }

  async getRow(key: Uint8Array, columns: readonly string[]): Promise<SnapshotRow | null> {
    const [row] = await this.getRows([key], columns)
    return row ?? null
  }

  /** One answer for each key, null where no asked column exists; one round trip to the store. */
  async getRows(
    keys: readonly Uint8Array[],
    columns: readonly string[],
  ): Promise<Array<SnapshotRow | null>> {
    this.#checkActive()
    const rows = await this.#snapshot.getRows(keys, columns, this.#statement?.signal)
    return rows.map((committed, index) =>
      overlayRow({ key: keys[index] as Uint8Array, committed }, columns, this.#buffer),
    )
  }

  async *scanRows(range: SnapshotRange): AsyncGenerator<SnapshotRow> {
    this.#checkActive()
    const { limit, ...unlimited } = range
    const own = this.#buffer.rowsBetween(range.start, range.end)
    const { cellStore } = this.#parts.context
    // Own deletes may take rows away, so a limit can bound the pages only where there are no writes.
    if (own.length === 0) return yield* take(limit, scanSnapshot(cellStore, this.#snapshot, range))
    const committed = scanSnapshot(cellStore, this.#snapshot, unlimited)
    const reverse = range.reverse === true
    const merging = { rows: own, buffer: this.#buffer, columns: range.columns, reverse }
    yield* take(limit, overlayScan(committed, merging))
  }

  put(key: Uint8Array, column: string, value: Uint8Array): void {
    this.#write(key, column, { kind: 'put', value })
  }

  delete(key: Uint8Array, column: string): void {
    this.#write(key, column, { kind: 'delete' })
  }

  /**
   * Makes the commit conflict with any write or guard of this column since the snapshot, whether or
   * not the row exists: the cure for write skew. It blocks nobody before the commit.
   */
  guard(key: Uint8Array, column: string): void {
    this.#write(key, column, { kind: 'guard' })
  }

  /**
   * Runs one statement: `work` does not see its own writes, and when it throws they are dropped.
   * The signal ends its waiting for locks.
   */
  async statement<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#checkActive()
    if (this.#statement !== undefined) throw closed('A statement is still running.')
    const layer = new WriteBuffer(this.#parts.budget)
    this.#statement = { layer, signal }
    try {
      const result = await work()
      this.#checkActive()
      this.#buffer.merge(layer)
      return result
    } finally {
      layer.clear()
      this.#statement = undefined
    }
  }

  /** The commit fails with `schema_changed` when this table's definition changed since `startTs`. */
  dependOnSchema(tableId: number): void {
    this.#schemaScopes.add(tableId)
  }

  /** The commit raises this table's schema fence, so that older writers of the table fail. */
  changeSchema(tableId: number): void {
    this.#changedSchemas.add(tableId)
  }

  /**
   * Rejects with StorageError `write_conflict`, `snapshot_too_old`, `schema_changed`,
   * `transaction_rolled_back` (nothing was written) or `commit_outcome_unknown`. Asked again, it
   * answers the same.
   */
  commit(): Promise<CommitResult> {
    this.#commit ??= this.#commitOnce()
    return this.#commit
  }

  /** Drops all writes. Nothing happens when the transaction has ended or is committing. */
  rollback(reason?: StorageError): void {
    if (this.#state !== 'active') return
    this.#end('rolledBack', { kind: 'aborted', reason: reason ?? rolledBack() })
  }

  async #commitOnce(): Promise<CommitResult> {
    this.#checkActive()
    this.#state = 'committing'
    const outcome = await this.#decide()
    switch (outcome.kind) {
      case 'nothing':
        this.#end('committed', { kind: 'committed', commitTs: this.startTs })
        return { commitTs: null }
      case 'committed':
        this.#end('committed', outcome)
        return { commitTs: outcome.commitTs }
      case 'aborted':
        this.#end('rolledBack', outcome)
        throw outcome.reason
      case 'unknown':
        this.#end('unknown', outcome)
        throw outcomeUnknown(this.id)
    }
  }

  async #decide(): Promise<CommitOutcome | { readonly kind: 'nothing' }> {
    const { context, resolver } = this.#parts
    try {
      const writeSet = this.#writeSet()
      if (writeSet === undefined) return { kind: 'nothing' }
      return await commitTwoPhase(context, resolver, writeSet)
    } catch (error) {
      // A rule did not hold. The transaction ends all the same, or what it holds would never be free.
      this.#end('unknown', { kind: 'unknown' })
      throw error
    }
  }

  #writeSet() {
    const { liveness } = this.#parts.context
    const written = this.#buffer.rows()
    const writesValues = written.some(({ writes }) => hasValueWrite(writes))
    const outcome = this.#keepsOutcome && writesValues ? outcomeRow(this.id) : undefined
    const primaryRow = outcome?.key
    // The outcome row is the protocol's own, so it counts towards no limit of the user's.
    return planWriteSet(outcome === undefined ? written : [outcome, ...written], {
      startTs: this.startTs,
      incarnation: liveness.incarnation,
      wallMicros: liveness.wallMicros(),
      ...(primaryRow === undefined ? {} : { primaryRow }),
      schemaScopes: [...this.#schemaScopes],
      changedSchemas: [...this.#changedSchemas],
    })
  }

  #write(key: Uint8Array, column: string, write: BufferedWrite): void {
    this.#checkActive()
    if (this.readOnly) {
      throw new StorageError('read_only_transaction', 'The transaction is read only.')
    }
    const buffer = this.#statement?.layer ?? this.#buffer
    buffer.write(key, column, write)
  }

  #checkActive(): void {
    if (this.#state !== 'active') throw closed(`The transaction is ${this.#state}.`)
  }

  #end(state: TransactionState, outcome: CommitOutcome): void {
    this.#state = state
    this.#buffer.clear()
    this.#parts.ended(this, outcome)
  }
}

async function* take<T>(limit: number | undefined, items: AsyncIterable<T>): AsyncGenerator<T> {
  let left = limit ?? Number.POSITIVE_INFINITY
  if (left <= 0) return
  for await (const item of items) {
    yield item
    left -= 1
    if (left <= 0) return
  }
}

function hasValueWrite(writes: ReadonlyMap<string, BufferedWrite>): boolean {
  return [...writes.values()].some((write) => write.kind !== 'guard')
}

function rolledBack(): StorageError {
  return new StorageError('transaction_rolled_back', 'The transaction was rolled back.')
}

/** The row that tells what became of the transaction; see `transaction-outcome.ts`. */
function outcomeRow(id: string): BufferedRow {
  const written: BufferedWrite = { kind: 'put', value: new Uint8Array() }
  return { key: systemRowKey(outcomePath(id)), writes: new Map([[OUTCOME_COLUMN, written]]) }
}

function closed(message: string): StorageError {
  return new StorageError('transaction_closed', message)
}

function outcomeUnknown(id: string): StorageError {
  return new StorageError(
    'commit_outcome_unknown',
    'The answer to the commit was lost: the transaction may or may not be committed. Ask for its outcome by its id.',
    { transaction: id },
  )
}
