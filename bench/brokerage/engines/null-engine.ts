// SPDX-License-Identifier: Apache-2.0
import type { Engine, Session, Transaction } from '../engine.ts'
import { SCHEMA, type TableName } from '../schema.ts'
import type { TableShape, Value } from '../table-shape.ts'
import { type AnyRead, type AnyRow, BufferedTransaction } from './buffered-transaction.ts'

/** Rows that a scan without a limit answers. */
const SCAN_ROWS = 10

/** Values by which the workload decides what to do next. */
const VALUES: Readonly<Record<string, Value>> = { t_st_id: 'SBMT', co_in_id: 'I001' }

/**
 * Answers at once, out of nothing, rows that have the right columns. What a run against it costs is
 * the driver and the transactions themselves, which is to be known beside every other figure.
 */
export class NullEngine implements Engine {
  readonly name = 'null'
  readonly description =
    "no database at all: each read is answered at once with made-up rows; its CPU is the driver's"
  readonly processId = process.pid
  readonly #rows = new Map<string, AnyRow>()

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
      commit: async () => {},
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
        const rows = Array.from({ length: Math.min(read.limit ?? SCAN_ROWS, SCAN_ROWS) }, () => row)
        // Nothing waits for its price, or the market would never come to an end.
        return read.table === 'trade_request' ? [] : rows
      }
      case 'scanEach':
        return read.firsts.map(() => [row])
    }
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
  const { columns }: TableShape = SCHEMA[table]
  return VALUES[column] ?? (columns[column]?.startsWith('integer') === true ? 100 : 'text')
}
