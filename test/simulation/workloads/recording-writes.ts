// SPDX-License-Identifier: Apache-2.0
import { keyString } from '../../../storage/cells/row-key.ts'
import type { CatalogWrites } from '../../../storage/tables/catalog/catalog-writes.ts'
import type { IdentityBlocks } from '../../../storage/tables/identity/identity-blocks.ts'
import type { RowWrites } from '../../../storage/tables/rows/row-changes.ts'
import type { Transaction } from '../../../storage/transactions/transaction.ts'
import type { OwnWrite, RecordedTransaction } from '../checkers/history.ts'

type TableTransaction = CatalogWrites & RowWrites & Pick<Transaction, 'scanRows' | 'scanBatches'>

/**
 * One statement on SQL tables: the layer of tables reads and writes through it as through a
 * transaction, and what it writes is noted down, to be recorded once the statement has succeeded.
 */
export class RecordingWrites implements TableTransaction {
  readonly #transaction: Transaction
  readonly #writes: Array<{ key: Uint8Array; column: string; write: OwnWrite }> = []

  /** From the process that runs the statement, for identity columns. */
  readonly nextNumbers: IdentityBlocks['take']

  constructor(transaction: Transaction, identities: Pick<IdentityBlocks, 'take'>) {
    this.#transaction = transaction
    this.nextNumbers = (table, count) => identities.take(table, count)
  }

  get startTs(): number {
    return this.#transaction.startTs
  }

  get locksRows(): boolean {
    return this.#transaction.locksRows
  }

  get now(): number {
    return this.#transaction.now
  }

  /** Everything noted down becomes part of what the client knows of its transaction. */
  recordIn(recorded: RecordedTransaction): void {
    for (const { key, column, write } of this.#writes) recorded.write(keyString(key), column, write)
  }

  requireRoom(): void {
    this.#transaction.requireRoom()
  }

  getRow: TableTransaction['getRow'] = (key, columns) => this.#transaction.getRow(key, columns)

  getRows: TableTransaction['getRows'] = (keys, columns) => this.#transaction.getRows(keys, columns)

  scanRows: TableTransaction['scanRows'] = (range) => this.#transaction.scanRows(range)

  scanBatches: TableTransaction['scanBatches'] = (range) => this.#transaction.scanBatches(range)

  statementWrite: TableTransaction['statementWrite'] = (key, column) =>
    this.#transaction.statementWrite(key, column)

  /** It is one statement already. */
  statement<T>(work: () => T): T {
    return work()
  }

  put(key: Uint8Array, column: string, value: Uint8Array): void {
    this.#transaction.put(key, column, value)
    this.#writes.push({ key, column, write: { kind: 'put', value } })
  }

  delete(key: Uint8Array, column: string): void {
    this.#transaction.delete(key, column)
    this.#writes.push({ key, column, write: { kind: 'delete' } })
  }

  guard(key: Uint8Array, column: string): void {
    this.#transaction.guard(key, column)
    this.#writes.push({ key, column, write: { kind: 'guard' } })
  }

  notify(key: Uint8Array, observerId: number, strength: 'strong' | 'weak'): void {
    this.#transaction.notify(key, observerId, strength)
  }

  dependOnSchema(tableId: number): void {
    this.#transaction.dependOnSchema(tableId)
  }

  changeSchema(tableId: number): void {
    this.#transaction.changeSchema(tableId)
  }

  changeCatalog(): void {
    this.#transaction.changeCatalog()
  }
}
