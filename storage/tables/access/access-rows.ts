// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { endOfPrefix, systemRowKey } from '../../cells/row-key.ts'
import { DamagedRecord } from '../../invariant.ts'
import { rowsOfBatches } from '../../transactions/protocol/row-batches.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { parsedJson } from '../bytes/catalog-json.ts'

/**
 * The rows of access control: ordinary transactional rows in the space of the system, each one cell with a JSON text.
 *
 *     access/token/<id>      a token, see `access-tokens.ts`
 *     access/role/<name>     a role, see `access-roles.ts`
 *     access/block/<hash>    a subject of JWTs, see `access-blocks.ts`
 *     access/first/<id>      that a token came from a file, see `first-token.ts`
 *     access/secret/<name>   a secret that was rotated, see `access-secrets.ts`
 *     access/relay/<name>    a relay, see `access-relays.ts`
 *     access/relay-progress/<name>  how far it has come
 *     access/written/<name>  what a role has written today, see `role-written.ts`
 *     access/version         written by each change of the others but those of which each write is counted, and of the
 *                            grants of a table: of two changes at once one conflicts, and one read tells whether there
 *                            was any
 */
export type AccessReads = Pick<Transaction, 'getRow' | 'scanBatches'>
export type AccessWrites = AccessReads & Pick<Transaction, 'put' | 'delete' | 'requireRoom'>

const COLUMN = '0'
const VERSION = systemRowKey('access/version')

/** The rows of one kind. */
export class AccessRows<T> {
  readonly #prefix: Uint8Array
  readonly #isOne: (json: unknown) => json is T

  constructor(kind: string, isOne: (json: unknown) => json is T) {
    this.#prefix = systemRowKey(`access/${kind}/`)
    this.#isOne = isOne
  }

  /** All of them, by their ids. A value that is none of ours is a violation of T3. */
  async read(transaction: Pick<AccessReads, 'scanBatches'>): Promise<T[]> {
    const end = endOfPrefix(this.#prefix) as Uint8Array
    const range = { start: this.#prefix, end, columns: [COLUMN] }
    const found: T[] = []
    for await (const { columns } of rowsOfBatches(transaction.scanBatches(range))) {
      found.push(this.#valueOf(columns.get(COLUMN)?.value))
    }
    return found
  }

  /** Undefined where there is none. Throws as `read`. */
  async readOne(transaction: Pick<AccessReads, 'getRow'>, id: string): Promise<T | undefined> {
    const row = await transaction.getRow(this.#keyOf(id), [COLUMN])
    const value = row?.columns.get(COLUMN)?.value
    return value === undefined ? undefined : this.#valueOf(value)
  }

  write(transaction: Pick<AccessWrites, 'put'>, id: string, value: T): void {
    this.put(transaction, id, value)
    changeAccess(transaction)
  }

  /** As `write`, of what lets nobody do more or less. */
  put(transaction: Pick<AccessWrites, 'put'>, id: string, value: T): void {
    transaction.put(this.#keyOf(id), COLUMN, Buffer.from(JSON.stringify(value)))
  }

  delete(transaction: Pick<AccessWrites, 'put' | 'delete'>, id: string): void {
    transaction.delete(this.#keyOf(id), COLUMN)
    changeAccess(transaction)
  }

  #valueOf(value: Uint8Array | undefined): T {
    const json = parsedJson(value)
    if (!this.#isOne(json)) throw new DamagedRecord('T3', { damaged: 'access row' })
    return json
  }

  /** Names may hold any character and paths are ASCII, so the id is percent-encoded as UTF-8. */
  #keyOf(id: string): Uint8Array {
    return Buffer.concat([this.#prefix, Buffer.from(encodeURIComponent(id))])
  }
}

/** To be called by each change of what clients may do. */
export function changeAccess(transaction: Pick<AccessWrites, 'put'>): void {
  transaction.put(VERSION, COLUMN, new Uint8Array())
}

/** The commit timestamp of the newest change at the transaction's snapshot; 0 when there was none. */
export async function readAccessVersion(
  transaction: Pick<AccessReads, 'getRow'>,
): Promise<Timestamp> {
  const row = await transaction.getRow(VERSION, [COLUMN])
  return row?.columns.get(COLUMN)?.commitTs ?? 0
}

/** The same of the newest change that the store has, which may be above every snapshot. Rejects with CellStoreError. */
export async function newestAccessChange(cellStore: CellStore): Promise<Timestamp> {
  const [row] = await cellStore.readRows([VERSION], [{ family: 'write', newest: 1 }])
  return row?.cells[0]?.timestamp ?? 0
}
