// SPDX-License-Identifier: Apache-2.0
import type Database from 'better-sqlite3'
import type { Value } from '../schema/table-shape.ts'
import { required } from '../transactions/rows-by-key.ts'
import type { AnyRead, AnyRow } from './buffered-transaction.ts'
import { selectByKey, selectRange } from './sql-statements.ts'

// Without the plus SQLite plans again for each value of a parameter.
export const parameter = () => '+?'

/** Each text is prepared once for a connection. */
export class SqliteStatements {
  readonly #database: Database.Database
  readonly #byText = new Map<string, Database.Statement<unknown[], AnyRow>>()

  constructor(database: Database.Database) {
    this.#database = database
  }

  /** How many rows it changed. */
  run({ text, values }: { readonly text: string; readonly values: readonly Value[] }): number {
    return this.#prepared(text).run(...values).changes
  }

  /** The rows of a query of one's own; `Row` is what it selects. */
  all<Row>(text: string, ...values: readonly Value[]): readonly Row[] {
    return this.#prepared(text).all(...values) as unknown as readonly Row[]
  }

  /** The first of them. Throws MissingRow when there is none: the workload's own rules say there is. */
  one<Row>(text: string, ...values: readonly Value[]): Row {
    return required(this.#prepared(text).get(...values), `row: ${text} (${values})`) as Row
  }

  answer(read: AnyRead): unknown {
    const { table, columns } = read
    switch (read.kind) {
      case 'get':
        return this.#prepared(selectByKey(table, columns, parameter)).get(...read.key)
      case 'getMany': {
        const statement = this.#prepared(selectByKey(table, columns, parameter))
        return read.keys.map((key) => statement.get(...key))
      }
      case 'scan': {
        const { text, values } = selectRange(read, parameter)
        return this.#prepared(text).all(...values)
      }
      case 'scanEach':
        return read.firsts.map((first) => {
          const { text, values } = selectRange(
            { ...read, kind: 'scan', prefix: [first] },
            parameter,
          )
          return this.#prepared(text).all(...values)
        })
    }
  }

  #prepared(text: string): Database.Statement<unknown[], AnyRow> {
    let statement = this.#byText.get(text)
    if (statement === undefined) {
      statement = this.#database.prepare<unknown[], AnyRow>(text)
      this.#byText.set(text, statement)
    }
    return statement
  }
}
