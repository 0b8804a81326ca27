// SPDX-License-Identifier: Apache-2.0
import {
  type FieldChange,
  type Fields,
  missingRecord,
  type Store,
  type Table,
  type Value,
} from './store.ts'

/** The key of a record and its fields. */
export type SqlRow = readonly Value[]

export type SqlStatement = { readonly sql: string; readonly values: readonly Value[] }

/** The statements of a table in SQL, with parameters as the database writes them, counted from 1. */
export function sqlTexts(
  { name, key, fields, type }: Table,
  parameter: (number: number) => string,
) {
  const columns = [key, ...fields].join(', ')
  const parameters = (count: number) =>
    Array.from({ length: count }, (_, index) => parameter(index + 1)).join(', ')
  const insert = `INSERT INTO ${name} (${columns}) VALUES (${parameters(1 + fields.length)})`
  return {
    columns,
    create: `CREATE TABLE ${name} (${key} TEXT PRIMARY KEY, ${fields.map((field) => `${field} ${type}`).join(', ')})`,
    insert,
    put: `${insert} ON CONFLICT (${key}) DO UPDATE SET ${fields.map((field) => `${field} = excluded.${field}`).join(', ')}`,
    get: `SELECT ${columns} FROM ${name} WHERE ${key} = ${parameter(1)}`,
    /** In any order. */
    getSeveral: (keys: number) =>
      `SELECT ${columns} FROM ${name} WHERE ${key} IN (${parameters(keys)})`,
    update(changedKey: string, changes: readonly FieldChange[]): SqlStatement {
      const assignments = changes.map(([index], at) => `${fields[index]} = ${parameter(at + 1)}`)
      return {
        sql: `UPDATE ${name} SET ${assignments.join(', ')} WHERE ${key} = ${parameter(changes.length + 1)}`,
        values: [...changes.map(([, value]) => value), changedKey],
      }
    },
    /** Parameters: the first key and the limit. */
    scan: `SELECT ${columns} FROM ${name} WHERE ${key} >= ${parameter(1)} ORDER BY ${key} LIMIT ${parameter(2)}`,
  }
}

/** All that is one statement in SQL; `ask` runs it for a client. */
export function sqlStore(
  texts: ReturnType<typeof sqlTexts>,
  ask: (client: number, sql: string, values: readonly Value[]) => Promise<readonly SqlRow[]>,
): Pick<Store, 'get' | 'put' | 'insert' | 'update' | 'scan' | 'create'> {
  return {
    get: async (client, key) => fieldsOf(await ask(client, texts.get, [key]), key),
    async put(client, { key, fields }) {
      await ask(client, texts.put, [key, ...fields])
    },
    async insert(client, { key, fields }) {
      await ask(client, texts.insert, [key, ...fields])
    },
    async update(client, key, changes) {
      const { sql, values } = texts.update(key, changes)
      await ask(client, sql, values)
    },
    scan: (client, key, count) => ask(client, texts.scan, [key, count]),
    async create() {
      await ask(0, texts.create, [])
    },
  }
}

/** Throws when there is no such row among these. */
export function fieldsOf(rows: readonly SqlRow[], key: string): Fields {
  const row = rows.find(([of]) => of === key)
  if (row === undefined) throw missingRecord(key)
  return row.slice(1)
}
