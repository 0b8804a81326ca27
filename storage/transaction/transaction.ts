// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cell-store/cell.ts'
import { rowKeyText, systemRowKey } from '../cell-store/row-key.ts'
import { StorageError } from '../errors.ts'
import { overlayRow, overlayScan } from './read-your-writes.ts'
import { OUTCOME_COLUMN, outcomePath } from './transaction-id.ts'
import type {
  CommitOutcome,
  CommitRequest,
  SnapshotRange,
  SnapshotReads,
  TransactionEnd,
  TransactionProtocol,
} from './transaction-protocol.ts'
import type { SnapshotRow } from './version.ts'
import {
  type BufferBudget,
  type BufferedRow,
  type BufferedWrite,
  WriteBuffer,
} from './write-buffer.ts'

export type TransactionState = 'active' | 'committing' | 'committed' | 'rolledBack' | 'unknown'

/** `commitTs` is null when there was nothing to commit. */
export type CommitResult = { readonly commitTs: Timestamp | null }

export type TransactionParts = {
  readonly protocol: TransactionProtocol
  readonly budget: BufferBudget
  /** Called once, when the transaction ends in whatever way. */
  readonly ended: (transaction: Transaction, end: TransactionEnd) => void
  /** Called when the transaction has changed the catalog, for itself so far. */
  readonly changedSchema?: (transaction: Transaction) => void
}

export type TransactionOptions = {
  /** Makes the id; asked for once at most, and never by a transaction that nobody names. */
  readonly newId: () => string
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
  readonly startTs: Timestamp
  readonly readOnly: boolean
  readonly #newId: () => string
  readonly #keepsOutcome: boolean
  readonly #parts: TransactionParts
  readonly #snapshot: SnapshotReads
  readonly #buffer: WriteBuffer
  readonly #schemaScopes: number[] = []
  readonly #changedSchemas: number[] = []
  #id: string | undefined
  #state: TransactionState = 'active'
  #statement: { readonly layer: WriteBuffer; readonly signal: AbortSignal | undefined } | undefined
  #commit: Promise<CommitResult> | undefined

  constructor(parts: TransactionParts, options: TransactionOptions) {
    this.#newId = options.newId
    this.startTs = options.startTs
    this.readOnly = options.readOnly
    this.#keepsOutcome = options.keepsOutcome
    this.#parts = parts
    this.#snapshot = parts.protocol.snapshotAt(options.startTs)
    this.#buffer = new WriteBuffer(parts.budget)
  }

  get id(): string {
    this.#id ??= this.#newId()
    return this.#id
  }

  /** Whether anybody has asked for the id. */
  get hasId(): boolean {
    return this.#id !== undefined
  }

  get state(): TransactionState {
    return this.#state
  }

  /** Whether a commit would write anything. */
  get hasWrites(): boolean {
    return !this.#buffer.isEmpty
  }

  async getRow(key: Uint8Array, columns: readonly string[]): Promise<SnapshotRow | null> {
    this.#checkActive()
    const found = this.#snapshot.getRow(key, columns, this.#statement?.signal)
    // What is at hand is not waited for: in the process that owns its store that is nearly always.
    const committed = found instanceof Promise ? await found : found
    return overlayRow({ key, committed }, columns, this.#buffer)
  }

  /** One answer for each key, null where no asked column exists; one round trip to the store. */
  async getRows(
    keys: readonly Uint8Array[],
    columns: readonly string[],
  ): Promise<Array<SnapshotRow | null>> {
    this.#checkActive()
    const found = this.#snapshot.getRows(keys, columns, this.#statement?.signal)
    const rows = found instanceof Promise ? await found : found
    if (this.#buffer.isEmpty) return rows
    return rows.map((committed, index) =>
      overlayRow({ key: keys[index] as Uint8Array, committed }, columns, this.#buffer),
    )
  }

  /** Throws `transaction_closed` at once. */
  scanRows(range: SnapshotRange): AsyncIterable<SnapshotRow> {
    this.#checkActive()
    const own = this.#buffer.rowsBetween(range.start, range.end)
    return own.length === 0 ? this.#snapshot.scan(range) : this.#scanWithOwn(range, own)
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

  /**
   * What the running statement itself has put or deleted there, which its reads do not show;
   * undefined when it did neither, or none is running.
   */
  statementWrite(
    key: Uint8Array,
    column: string,
  ): Exclude<BufferedWrite, { kind: 'guard' }> | undefined {
    return this.#statement?.layer.valueWrite(key, column)
  }

  /** Whether the transaction changes the definition of a table. */
  get changesSchema(): boolean {
    return this.#changedSchemas.length > 0
  }

  /** The commit fails with `schema_changed` when this table's definition changed since `startTs`. */
  dependOnSchema(tableId: number): void {
    if (!this.#schemaScopes.includes(tableId)) this.#schemaScopes.push(tableId)
  }

  /** The commit raises this table's schema fence, so that older writers of the table fail. */
  changeSchema(tableId: number): void {
    if (!this.#changedSchemas.includes(tableId)) this.#changedSchemas.push(tableId)
    this.changeCatalog()
  }

  /** The catalog changes in a way that lets older writers of its tables commit all the same. */
  changeCatalog(): void {
    this.#parts.changedSchema?.(this)
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
    this.#end('rolledBack', reason === undefined ? ROLLED_BACK : endedBy(reason))
  }

  async #commitOnce(): Promise<CommitResult> {
    this.#checkActive()
    this.#state = 'committing'
    // Most transactions only read, and there is nothing to wait for.
    const outcome = this.#buffer.isEmpty ? NOTHING : await this.#decide()
    switch (outcome.kind) {
      case 'nothing':
        this.#end('committed', { kind: 'committed', commitTs: this.startTs })
        return { commitTs: null }
      case 'committed':
        this.#end('committed', outcome)
        return { commitTs: outcome.commitTs }
      case 'aborted':
        this.#end('rolledBack', endedBy(outcome.reason))
        throw outcome.reason
      case 'unknown':
        this.#end('unknown', outcome)
        throw outcomeUnknown(this.id)
    }
  }

  async #decide(): Promise<CommitOutcome | typeof NOTHING> {
    try {
      const { size } = this.#buffer
      const rows = size > SORTED_AT_ONCE ? await this.#buffer.rowsInTurns() : this.#buffer.rows()
      const request = this.#commitRequest(rows)
      return request === undefined ? NOTHING : await this.#parts.protocol.commit(request)
    } catch (error) {
      // A rule did not hold. The transaction ends all the same, or what it holds would never be free.
      this.#end('unknown', { kind: 'unknown' })
      throw error
    }
  }

  /** Undefined when there is no put and no delete: guards alone protect nothing. */
  #commitRequest(written: readonly BufferedRow[]): CommitRequest | undefined {
    if (!written.some(({ writes }) => hasValueWrite(writes))) return undefined
    const outcome = this.#keepsOutcome ? outcomeRow(this.id) : undefined
    return {
      startTs: this.startTs,
      // The outcome row is the protocol's own, so it counts towards no limit of the user's.
      rows: outcome === undefined ? written : [outcome, ...written],
      primaryRow: outcome?.key,
      schemaScopes: this.#schemaScopes,
      changedSchemas: this.#changedSchemas,
    }
  }

  async *#scanWithOwn(
    range: SnapshotRange,
    rows: readonly BufferedRow[],
  ): AsyncGenerator<SnapshotRow> {
    const { limit = Number.POSITIVE_INFINITY, ...unlimited } = range
    if (limit <= 0) return
    // Own deletes may take rows away, so the limit cannot bound what is read of the store.
    const committed = this.#snapshot.scan(unlimited)
    const reverse = range.reverse === true
    const merging = { rows, buffer: this.#buffer, columns: range.columns, reverse }
    let left = limit
    for await (const row of overlayScan(committed, merging)) {
      yield row
      left -= 1
      if (left <= 0) return
    }
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

  #end(state: TransactionState, end: TransactionEnd): void {
    this.#state = state
    this.#buffer.clear()
    this.#parts.ended(this, end)
  }
}

function hasValueWrite(writes: ReadonlyMap<string, BufferedWrite>): boolean {
  for (const { kind } of writes.values()) if (kind !== 'guard') return true
  return false
}

/** Rows that a commit sorts in one turn. */
const SORTED_AT_ONCE = 1_000

const NOTHING = { kind: 'nothing' } as const

const ROLLED_BACK: TransactionEnd = { kind: 'rolledBack', reason: 'transaction_rolled_back' }

function endedBy(reason: StorageError): TransactionEnd {
  return { kind: 'rolledBack', reason: reason.code }
}

/** The row that tells what became of the transaction; see `transaction-outcome.ts`. */
function outcomeRow(id: string): BufferedRow {
  const written: BufferedWrite = { kind: 'put', value: new Uint8Array() }
  const key = systemRowKey(outcomePath(id))
  return { key, text: rowKeyText(key), writes: new Map([[OUTCOME_COLUMN, written]]) }
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
