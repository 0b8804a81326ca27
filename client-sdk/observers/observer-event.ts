// SPDX-License-Identifier: Apache-2.0
import type { Http } from '../requests/http.ts'
import { quotedName } from '../requests/table.ts'
import type { Transaction } from '../requests/transaction.ts'
import type { RowKey } from '../subscriptions/subscription-event.ts'
import { decodeKey, type Row, type ValueModes } from '../values.ts'
import type { ResultColumn, TableDefinition } from '../wire.ts'

/** What an observer is run for: a row that has changed. */
export type ObserverEvent<R = Row, K = RowKey> = {
  readonly observer: string
  readonly table: string
  readonly key: K
  /** When the newest change that is known of began; in microseconds since 1970. */
  readonly timestamp: number
  /** The row as the transaction reads it; undefined when it is deleted, or never was. */
  readonly row: R | undefined
}

/** What the server tells of it. */
export type Notification = {
  readonly notification: string
  readonly table: string
  readonly key: readonly unknown[]
  readonly timestamp: number
}

/** Makes events of notifications. */
export class ObservedRows {
  readonly #http: Http
  readonly #modes: ValueModes
  readonly #keys = new Map<string, Promise<readonly ResultColumn[]>>()

  constructor(http: Http, modes: ValueModes) {
    this.#http = http
    this.#modes = modes
  }

  forgetTables(): void {
    this.#keys.clear()
  }

  /** Reads the row in the transaction. */
  async eventOf<R>(
    observer: string,
    { table, key, timestamp }: Notification,
    tx: Transaction,
  ): Promise<ObserverEvent<R>> {
    const columns = await this.#keyOf(table)
    const values = decodeKey(columns, key, this.#modes)
    const condition = columns.map(({ name }, index) => `${quotedName(name)} = $${index + 1}`)
    const sql = `GET * FROM ${quotedName(table)} WHERE ${condition.join(' AND ')}`
    const { rows } = await tx.query<R>(sql, values)
    return { observer, table, key: values, timestamp, row: rows[0] }
  }

  /** The columns of the primary key, which only another table of that name has others of. */
  #keyOf(table: string): Promise<readonly ResultColumn[]> {
    const known = this.#keys.get(table)
    if (known !== undefined) return known
    const pending = this.#http
      .request<TableDefinition>('GET', `/v1/tables/${encodeURIComponent(table)}`)
      .then(({ columns, primaryKey }) =>
        primaryKey.flatMap((part) => columns.filter(({ name }) => name === part.column)),
      )
    this.#keys.set(table, pending)
    pending.catch(() => {
      if (this.#keys.get(table) === pending) this.#keys.delete(table)
    })
    return pending
  }
}
