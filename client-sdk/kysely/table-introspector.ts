// SPDX-License-Identifier: Apache-2.0
import type {
  DatabaseIntrospector,
  DatabaseMetadataOptions,
  SchemaMetadata,
  TableMetadata,
} from 'kysely'
import type { Database } from '../database.ts'
import type { Schemas } from '../wire.ts'

/** What Kysely's migrations make for themselves. */
const INTERNAL = ['kysely_migration', 'kysely_migration_lock']

/** Tells Kysely of the tables that the token may know of. */
export class TableIntrospector implements DatabaseIntrospector {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** There are none. */
  async getSchemas(): Promise<SchemaMetadata[]> {
    return []
  }

  async getTables(options?: DatabaseMetadataOptions): Promise<TableMetadata[]> {
    const { tables } = await this.#db.request<Schemas['TableList']>('GET', '/v1/tables')
    return tables
      .filter(({ name }) => options?.withInternalKyselyTables || !INTERNAL.includes(name))
      .map(({ name, columns }) => ({
        name,
        isView: false,
        isForeign: false,
        columns: columns.map((column) => ({
          name: column.name,
          dataType:
            column.precision === undefined
              ? column.type
              : `${column.type}(${column.precision}, ${column.scale})`,
          isNullable: !column.notNull,
          isAutoIncrementing: column.default?.identity !== undefined,
          hasDefaultValue: column.default !== undefined,
        })),
      }))
  }
}
