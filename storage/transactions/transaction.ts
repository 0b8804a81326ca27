// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cells/cell.ts'
import { StorageError } from '../errors.ts'
import { andThen, type MaybePromise } from '../maybe-promise.ts'
import { LayeredWrites } from './buffer/layered-writes.ts'
import { outcomeRow } from './buffer/outcome-row.ts'
import { overlayRow } from './buffer/read-your-writes.ts'
import {
  type BufferedRow,
  type BufferedWrite,
  changesValue,
  checkLimit,
  type ValueWrite,
  type WriteBuffer,
} from './buffer/write-buffer.ts'
import { scanWithOwn } from './own-rows-scan.ts'
import { outcomeUnknown, transactionClosed } from './protocol/commit-refusal.ts'
import type { ReadSet } from './protocol/read-set.ts'
import { RecordedReads } from './protocol/recorded-reads.ts'
import { type RowBatches, rowsOfBatches } from './protocol/row-batches.ts'
import {
  type CommitOutcome,
  type RowWanted,
  rolledBackBy,
  type SnapshotRange,
  type SnapshotReads,
  type TransactionEnd,
} from './protocol/transaction-protocol.ts'
import type { Hint } from './records/notify-cell.ts'
import type { SnapshotRow } from './records/version.ts'
import {
  rejoined,
  type StatementWaits,
  type TransactionDependencies,
  type TransactionOptions,
} from './transaction-options.ts'

export type TransactionState = 'active' | 'committing' | 'committed' | 'rolledBack' | 'unknown'

/** The result of a commit; `commitTs` is null when there was nothing to commit. */
export type CommitResult = { readonly commitTs: Timestamp | null }

/**
 * A snapshot-isolated transaction (Percolator 2.2): reads see the store as of `startTs`, writes wait
 * in a buffer, and `commit` makes all of them visible at one `commitTs`, or none.
 *
 * One call at a time, but for `rollback`. Reads reject with StorageError `snapshot_too_old`,
 * `locked`, `transaction_closed`; writes throw `limit_exceeded`, `read_only_transaction`, `disk_full`.
 */
export class Transaction {
  readonly startTs: Timestamp
  /**
   * The time at which it began. Usually `startTs`; another time if the clock was set, or the snapshot is an old one.
   */
  readonly now: Timestamp
  readonly readOnly: boolean
  /** Its position among the open ones. */
  slot = 0
  /** What it wrote or guarded, where its commit was small and lost to others of this process. */
  lostRows: ReadonlyArray<{ readonly hash: number }> = NO_ROWS
  readonly #newId: () => string
  readonly #keepsOutcome: boolean
  readonly #writeRefusal: StorageError | undefined
  readonly #deps: TransactionDependencies<Transaction>
  #snapshot: SnapshotReads
  readonly #writes: LayeredWrites
  #schemaScopes: readonly number[] = NO_TABLES
  #changedSchemas: readonly number[] = NO_TABLES
  #changesCatalog = false
  #id: string | undefined
  #state: TransactionState = 'active'
  /** What ends the waits of the running statement, and what it asks after them. */
  #waits: StatementWaits = NO_WAITS
  #commit: Promise<CommitResult> | undefined

  constructor(deps: TransactionDependencies<Transaction>, options: TransactionOptions) {
    this.#newId = options.newId
    this.startTs = options.startTs
    this.now = options.now ?? options.startTs
    this.readOnly = options.readOnly
    this.#keepsOutcome = options.keepsOutcome
    this.#writeRefusal = options.writeRefusal
    this.#deps = deps
    this.#snapshot = deps.protocol.snapshotAt(options.startTs)
    this.#writes = new LayeredWrites(deps.budget, options.budget)
  }

  get id(): string {
    this.#id ??= this.#newId()
    return this.#id
  }

  /** Whether the id has been used. */
  get hasId(): boolean {
    return this.#id !== undefined
  }

  get state(): TransactionState {
    return this.#state
  }

  get locksRows(): boolean {
    return this.#deps.locksRows
  }

  /** Whether a commit would write anything. */
  get hasWrites(): boolean {
    return !this.#writes.isEmpty
  }

  /** What it has written or guarded so far; undefined where that is nothing. */
  get written(): Pick<WriteBuffer, 'bytes' | 'keyAt'> | undefined {
    return this.#writes.buffer
  }

  getRow(key: Uint8Array, columns: readonly string[]): MaybePromise<SnapshotRow | null> {
    this.#checkActive()
    const found = rejoined(this.#snapshot.getRow(key, columns, this.#waits.signal), this.#waits)
    const { buffer } = this.#writes
    if (buffer === undefined) return found
    return andThen(found, (committed) => overlayRow({ key, committed }, columns, buffer))
  }

  /** One row for each key, null where no asked column exists; one round trip to the store. */
  getRows(
    keys: readonly Uint8Array[],
    columns: readonly string[],
  ): MaybePromise<Array<SnapshotRow | null>> {
    this.#checkActive()
    const found = rejoined(this.#snapshot.getRows(keys, columns, this.#waits.signal), this.#waits)
    const { buffer } = this.#writes
    if (buffer === undefined) return found
    return andThen(found, (rows) =>
      rows.map((committed, index) =>
        overlayRow({ key: keys[index] as Uint8Array, committed }, columns, buffer),
      ),
    )
  }

  /** Notes every key and range that is read from now on, in the set that it returns. To be called once. */
  recordReads(): ReadSet {
    const recorded = new RecordedReads(this.#snapshot)
    this.#snapshot = recorded
    return recorded.set
  }

  /** Reads rows together that will be asked for one after the other; undefined where a read does not wait anyway. */
  prefetch(wanted: readonly RowWanted[]): Promise<void> | undefined {
    this.#checkActive()
    return this.#snapshot.prefetch?.(wanted)
  }

  /** Whether reads wait, so that `prefetch` takes waits away. */
  get prefetches(): boolean {
    return this.#snapshot.prefetch !== undefined
  }

  /** Throws `transaction_closed` at once. */
  scanRows(range: SnapshotRange): AsyncIterable<SnapshotRow> {
    return rowsOfBatches(this.scanBatches(range))
  }

  /** As `scanRows`, in batches of the rows that were read together; none is empty. */
  scanBatches(range: SnapshotRange): RowBatches {
    this.#checkActive()
    const { buffer } = this.#writes
    const own = buffer?.rowsBetween(range.start, range.end) ?? []
    if (buffer === undefined || own.length === 0) return this.#snapshot.scan(range)
    return scanWithOwn((committed) => this.#snapshot.scan(committed), range, { rows: own, buffer })
  }

  /**
   * Throws `disk_full` when the disk has no space left. Must be called before writes that make the store larger; writes
   * that free space, and the records of them, may use the reserve.
   */
  requireRoom(): void {
    const refusal = this.#deps.roomRefusal?.()
    if (refusal !== undefined) throw refusal
  }

  put(key: Uint8Array, column: string, value: Uint8Array): void {
    checkLimit('rowBytesMax', value.length, this.#deps.cellBytesMax)
    this.#write(key, column, { kind: 'put', value })
  }

  delete(key: Uint8Array, column: string): void {
    this.#write(key, column, { kind: 'delete' })
  }

  /**
   * Makes the commit conflict with any write or guard of this column since the snapshot, whether or not the row exists:
   * it prevents write skew. It blocks no other transaction before the commit.
   */
  guard(key: Uint8Array, column: string): void {
    this.#write(key, column, { kind: 'guard' })
  }

  /**
   * Notifies an observer of a change of this row (Percolator 2.4): `strong` for a change by this transaction, which
   * puts or deletes a column of the row; `weak` for any change, without conflicts. Throws as `put` does.
   */
  notify(key: Uint8Array, observerId: number, strength: 'strong' | 'weak'): void {
    this.#checkWritable()
    if (strength === 'strong') this.#writes.notifyStrongly(key, observerId)
    else this.#writes.hint(key, observerId)
  }

  /** Notifies an observer of the change that an older transaction, which began at `changedBy`, made to this row. */
  notifyOfOlder(key: Uint8Array, observerId: number, changedBy: Timestamp): void {
    this.#checkWritable()
    this.#writes.hint(key, observerId, changedBy)
  }

  /**
   * Runs one statement: `work` does not see its own writes, and when it throws they are dropped.
   * `waits` has what ends its waiting for locks.
   */
  statement<T>(work: () => MaybePromise<T>, waits = NO_WAITS): MaybePromise<T> {
    this.#checkActive()
    if (this.#writes.isStatementRunning) throw transactionClosed('A statement is still running.')
    this.#writes.beginStatement()
    this.#waits = waits
    let isWaitedFor = false
    try {
      const result = work()
      if (!(result instanceof Promise)) return this.#merged(result)
      isWaitedFor = true
      return result.then((value) => this.#merged(value)).finally(() => this.#endStatement())
    } finally {
      if (!isWaitedFor) this.#endStatement()
    }
  }

  /**
   * What the running statement itself has put or deleted there, which its reads do not show;
   * undefined when it did neither, or none is running.
   */
  statementWrite(key: Uint8Array, column: string): ValueWrite | undefined {
    return this.#writes.layerWrite(key, column)
  }

  /** Whether the transaction changes the definition of a table. */
  get changesSchema(): boolean {
    return this.#changedSchemas.length > 0
  }

  /** Whether it changes the definition of this one. */
  changesSchemaOf(tableId: number): boolean {
    return this.#changedSchemas.includes(tableId)
  }

  /** The commit fails with `schema_changed` when this table's definition changed since `startTs`. */
  dependOnSchema(tableId: number): void {
    if (!this.#schemaScopes.includes(tableId)) this.#schemaScopes = [...this.#schemaScopes, tableId]
  }

  /** The commit raises this table's schema fence, so that older writers of the table fail. */
  changeSchema(tableId: number): void {
    const changed = this.#changedSchemas
    if (!changed.includes(tableId)) this.#changedSchemas = [...changed, tableId]
    this.changeCatalog()
  }

  /** Records a change of the catalog after which older writers of its tables may still commit. */
  changeCatalog(feature?: 'decimal'): MaybePromise<void> {
    this.#changesCatalog = true
    return this.#deps.changedSchema?.(this, feature)
  }

  get changesCatalog(): boolean {
    return this.#changesCatalog
  }

  /**
   * Rejects with StorageError `write_conflict`, `snapshot_too_old`, `schema_changed`, `transaction_rolled_back`
   * (nothing was written) or `commit_outcome_unknown`. A repeated call has the same result.
   */
  commit(): Promise<CommitResult> {
    this.#commit ??= this.#commitOnce()
    return this.#commit
  }

  /** Drops all writes. Nothing happens when the transaction has ended or is committing. */
  rollback(reason?: StorageError): void {
    if (this.#state !== 'active') return
    this.#end('rolledBack', rolledBackBy(reason))
  }

  async #commitOnce(): Promise<CommitResult> {
    this.#checkActive()
    this.#state = 'committing'
    let outcome: CommitOutcome | typeof NOTHING = NOTHING
    try {
      const decided = this.#decide()
      // Most transactions only read, and there is nothing to wait for.
      outcome = decided instanceof Promise ? await decided : decided
    } catch (error) {
      // An invariant was violated. The transaction still ends, or what it holds would never be released.
      this.#end('unknown', { kind: 'unknown' })
      throw error
    }
    switch (outcome.kind) {
      case 'nothing':
        this.#end('committed', { kind: 'committed', commitTs: this.startTs })
        return { commitTs: null }
      case 'committed':
        this.#end('committed', outcome)
        return { commitTs: outcome.commitTs }
      case 'aborted':
        this.lostRows = outcome.rows ?? NO_ROWS
        this.#end('rolledBack', rolledBackBy(outcome.reason))
        this.#deps.refused?.(outcome.reason, this)
        throw outcome.reason
      case 'unknown':
        this.#end('unknown', outcome)
        throw outcomeUnknown(this.id)
    }
  }

  #decide(): MaybePromise<CommitOutcome | typeof NOTHING> {
    const { buffer } = this.#writes
    const isLarge = buffer !== undefined && buffer.size > SORTED_AT_ONCE
    const rows = isLarge ? buffer.rowsInTurns() : (buffer?.rows() ?? [])
    return rows instanceof Promise ? rows.then((sorted) => this.#send(sorted)) : this.#send(rows)
  }

  /** Asks the protocol, unless there is nothing to write: guards alone protect nothing. */
  #send(written: readonly BufferedRow[]): MaybePromise<CommitOutcome | typeof NOTHING> {
    const { notifications } = this.#writes
    const hints = notifications?.hints ?? NO_HINTS
    const isWritten = written.some(changesValue)
    if (!isWritten && hints.length === 0) return NOTHING
    // Hints alone have no row that could be the primary, so the outcome row is.
    const outcome = this.#keepsOutcome || !isWritten ? outcomeRow(this.id) : undefined
    const rows = notifications?.withNotified(written) ?? written
    return this.#deps.protocol.commit({
      startTs: this.startTs,
      // The outcome row is the protocol's own, so it counts towards no limit of the user's.
      rows: outcome === undefined ? rows : [outcome, ...rows],
      hints,
      primaryRow: outcome?.key,
      schemaScopes: this.#schemaScopes,
      ...{ changedSchemas: this.#changedSchemas, changesCatalog: this.#changesCatalog },
    })
  }

  #merged<T>(result: T): T {
    this.#checkActive()
    this.#writes.mergeLayer()
    return result
  }

  #endStatement(): void {
    this.#writes.endStatement()
    this.#waits = NO_WAITS
  }

  #write(key: Uint8Array, column: string, write: BufferedWrite): void {
    this.#checkWritable(write.kind === 'guard')
    this.#writes.write(key, column, write)
  }

  /** A guard alone writes nothing. */
  #checkWritable(isGuard = false): void {
    this.#checkActive()
    if (this.readOnly) {
      throw new StorageError('read_only_transaction', 'The transaction is read only.')
    }
    if (this.#writeRefusal !== undefined && !isGuard) throw this.#writeRefusal
  }

  #checkActive(): void {
    if (this.#state !== 'active') throw transactionClosed(`The transaction is ${this.#state}.`)
  }

  #end(state: TransactionState, end: TransactionEnd): void {
    this.#state = state
    const notified = this.#writes.clear()
    if (notified.length > 0 && end.kind === 'committed') {
      this.#deps.notified?.(notified, this, end.commitTs)
    }
    this.#deps.ended(this, end)
  }
}

const NO_WAITS: StatementWaits = {}
const NO_ROWS: ReadonlyArray<{ readonly hash: number }> = []
const NO_TABLES: readonly number[] = []
const NO_HINTS: readonly Hint[] = []
const NOTHING = { kind: 'nothing' } as const

/** Rows that a commit sorts in one turn. */
const SORTED_AT_ONCE = 1_000
