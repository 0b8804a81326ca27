// SPDX-License-Identifier: Apache-2.0
import { keyString } from '../../../storage/cells/row-key.ts'
import { ackColumn, encodeAck } from '../../../storage/observers/notifications/acknowledgment.ts'
import type { Notification, Storage, Transaction } from '../../../storage/storage.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import type { SnapshotRow } from '../../../storage/transactions/records/version.ts'
import type { OwnWrite, RecordedTransaction, SeenRow, SeenValue } from '../checkers/history.ts'
import type { Gateway } from '../simulated/gateway.ts'
import { ProcessCrashed, type SimulatedProcess } from '../simulated/simulated-process.ts'
import { RecordingWrites } from './recording-writes.ts'

/**
 * A transaction as a client has it: each call is a request to the gateway that may be late or never
 * answered, and everything that is said and heard is recorded.
 */
export class ClientTransaction {
  readonly recorded: RecordedTransaction
  readonly #gateway: Gateway
  /** The only one that knows the transaction. */
  readonly #process: SimulatedProcess
  readonly #transaction: Transaction

  constructor(gateway: Gateway, transaction: Transaction, recorded: RecordedTransaction) {
    this.#gateway = gateway
    this.#process = gateway.process
    this.#transaction = transaction
    this.recorded = recorded
  }

  /** The rows by their names, null where no asked column is there. */
  async read(
    rows: readonly string[],
    columns: readonly string[],
  ): Promise<Array<ReadonlyMap<string, SeenValue> | null>> {
    const own = this.recorded.ownWrites()
    const found = await this.#request(async () =>
      this.#transaction.getRows(rows.map(keyOfRow), columns),
    )
    const seen = found.map((row) => (row === null ? null : seenRow(row)))
    this.recorded.observations.push({ kind: 'read', rows, columns, seen, own })
    return seen.map((row) => row?.columns ?? null)
  }

  /** What is read next may have been read by this; what it shows is judged as if it were read then. */
  async prefetch(rows: readonly string[], columns: readonly string[]): Promise<void> {
    await this.#request(async () =>
      this.#transaction.prefetch(rows.map((row) => ({ key: keyOfRow(row), columns }))),
    )
  }

  async readValue(row: string, column: string): Promise<string | null> {
    const [found] = await this.read([row], [column])
    const value = found?.get(column)?.value
    return value === undefined ? null : textOf(value)
  }

  async scan(range: {
    readonly start: string
    readonly end: string
    readonly reverse?: boolean
    readonly limit?: number
    readonly columns: readonly string[]
  }): Promise<readonly SeenRow[]> {
    const { start, end, reverse = false, limit, columns } = range
    const own = this.recorded.ownWrites()
    const found = await this.#request(() =>
      Array.fromAsync(
        this.#transaction.scanRows({
          start: keyOfRow(start),
          end: keyOfRow(end),
          reverse,
          columns,
          ...(limit === undefined ? {} : { limit }),
        }),
      ),
    )
    const seen = found.map(seenRow)
    const observed = { kind: 'scan', start, end, reverse, limit, columns, seen, own } as const
    this.recorded.observations.push(observed)
    return seen
  }

  put(row: string, column: string, value: string): void {
    const bytes = Buffer.from(value, 'latin1')
    this.#transaction.put(keyOfRow(row), column, bytes)
    this.recorded.write(row, column, { kind: 'put', value: bytes })
  }

  delete(row: string, column: string): void {
    this.#transaction.delete(keyOfRow(row), column)
    this.recorded.write(row, column, { kind: 'delete' })
  }

  guard(row: string, column: string): void {
    this.#transaction.guard(keyOfRow(row), column)
    this.recorded.write(row, column, { kind: 'guard' })
  }

  dependOnSchema(tableId: number): void {
    this.#transaction.dependOnSchema(tableId)
    this.recorded.schema = 'depends'
  }

  changeSchema(tableId: number): void {
    this.#transaction.changeSchema(tableId)
    this.recorded.schema = 'changes'
  }

  /** One statement that fails in its middle: what it wrote must not stay. */
  async failingStatement(row: string, column: string): Promise<void> {
    const failure = new Error('the statement fails')
    try {
      await this.#request(() =>
        this.#transaction.statement(async () => {
          this.#transaction.put(keyOfRow(row), column, Buffer.from('never'))
          throw failure
        }),
      )
    } catch (error) {
      if (error !== failure) throw error
    }
  }

  /** One statement on SQL tables, with the catalog of the transaction's snapshot. */
  async onTables<T>(work: (writes: RecordingWrites, catalog: Catalog) => Promise<T>): Promise<T> {
    const transaction = this.#transaction
    return await this.#request(async (storage) => {
      const writes = new RecordingWrites(transaction, storage.identities)
      const result = await transaction.statement(async () =>
        work(writes, await storage.catalog(transaction)),
      )
      writes.recordIn(this.recorded)
      return result
    })
  }

  /** The transaction is the run of an observer. */
  async acknowledge(notification: Notification): Promise<'pending' | 'alreadyObserved'> {
    const transaction = this.#transaction
    const found = await this.#request(() => notification.acknowledge(transaction))
    const { observer, key } = notification
    if (found === 'pending' && !observer.isWeak) {
      const value = encodeAck(transaction.startTs)
      this.recorded.write(keyString(key), ackColumn(observer.id), { kind: 'put', value })
    }
    return found
  }

  async commit(): Promise<number | null> {
    const { commitTs } = await this.#request(() => {
      this.recorded.commitWasSent = true
      return this.#transaction.commit()
    })
    return commitTs
  }

  rollback(): void {
    this.#transaction.rollback()
  }

  #request<T>(work: (storage: Storage) => Promise<T>): Promise<T> {
    const { process } = this.#gateway
    if (process !== this.#process) return Promise.reject(new ProcessCrashed(this.#process.name))
    return this.#gateway.request(work)
  }
}

/** Row names are texts of single bytes; table rows begin with the byte 01. */
export function keyOfRow(name: string): Uint8Array {
  return Buffer.from(name, 'latin1')
}

export function textOf(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')
}

function seenRow(row: SnapshotRow): SeenRow {
  return { row: keyString(row.key), columns: new Map(row.columns) }
}

export function sameWrite(write: OwnWrite, value: Uint8Array | undefined): boolean {
  if (write.kind !== 'put') return value === undefined
  return value !== undefined && Buffer.compare(write.value, value) === 0
}
