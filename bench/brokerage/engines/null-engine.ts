// SPDX-License-Identifier: Apache-2.0
import type { Engine, Scan, Session, Transaction } from '../engine.ts'
import { type TableName, typeOf } from '../schema/schema.ts'
import type { Value } from '../schema/table-shape.ts'
import {
  type AnyRead,
  type AnyRow,
  BufferedTransaction,
  type Write,
} from './buffered-transaction.ts'
import { conditionsOf } from './sql-statements.ts'

/** Rows that a scan without a limit answers. */
const SCAN_ROWS = 10

/** Values by which the workload decides what to do next. */
const VALUES: Readonly<Record<string, Value>> = { t_st_id: 'SBMT', co_in_id: 'I001' }

/**
 * Answers at once, out of nothing, rows that have the right columns. What a run against it costs is
 * the driver and the transactions themselves, which is to be known beside every other figure. It
 * remembers nothing but the limit orders that wait, without which the mix would be another.
 */
export class NullEngine implements Engine {
  readonly name = 'null'
  readonly description =
    "no database at all: each read is answered at once with made-up rows; its CPU is the driver's"
  readonly processIds = [process.pid]
  readonly #rows = new Map<string, AnyRow>()
  /** Rows of `trade_request` by their key. */
  readonly #requests = new Map<Value, AnyRow>()

  async load(): Promise<void> {}

  async connect(): Promise<Session> {
    return { begin: async () => this.#begin(), close: async () => {} }
  }

  async *walk() {}

  async diskBytes(): Promise<number> {
    return 0
  }

  async close(): Promise<void> {}

  #begin(): Transaction {
    return new BufferedTransaction({
      read: async (reads) => reads.map((read) => this.#answer(read)),
      commit: async (writes) => this.#remember(writes),
      rollback: async () => {},
    })
  }

  #answer(read: AnyRead): unknown {
    const row = this.#row(read.table, read.columns)
    switch (read.kind) {
      case 'get':
        return row
      case 'getMany':
        return read.keys.map(() => row)
      case 'scan': {
        if (read.table === 'trade_request') return this.#waiting(read)
        return Array.from({ length: Math.min(read.limit ?? SCAN_ROWS, SCAN_ROWS) }, () => row)
      }
      case 'scanEach':
        return read.firsts.map(() => [row])
    }
  }

  #remember(writes: readonly Write[]): void {
    for (const write of writes) {
      if (write.table !== 'trade_request') continue
      if (write.kind === 'insert') this.#requests.set(write.row.tr_t_id as Value, write.row)
      if (write.kind === 'delete') this.#requests.delete(write.key[0] as Value)
    }
  }

  #waiting(scan: Scan): readonly AnyRow[] {
    const conditions = conditionsOf(scan)
    const found = [...this.#requests.values()].filter((row) =>
      conditions.every(({ column, operator, value }) => {
        const [left, right] = [row[column] as never, value as never]
        return operator === '=' ? left === right : operator === '>=' ? left >= right : left <= right
      }),
    )
    return found.slice(0, scan.limit ?? found.length)
  }

  #row(table: TableName, columns: readonly string[]): AnyRow {
    const name = `${table} ${columns.join()}`
    let row = this.#rows.get(name)
    if (row === undefined) {
      row = Object.fromEntries(columns.map((column) => [column, madeUp(table, column)]))
      this.#rows.set(name, row)
    }
    return row
  }
}

function madeUp(table: TableName, column: string): Value {
  return VALUES[column] ?? (typeOf(table, column) === 'text' ? 'text' : 100)
}
