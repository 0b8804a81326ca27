// SPDX-License-Identifier: Apache-2.0
import type { Table } from './store.ts'

export function createText({ name, key, fields, type }: Table): string {
  const columns = fields.map((field) => `${field} ${type}`).join(', ')
  return `CREATE TABLE ${name} (${key} TEXT PRIMARY KEY, ${columns})`
}

/** The statements of a table in SQL, with parameters as the database writes them, counted from 1. */
export function sqlTexts({ name, key, fields }: Table, parameter: (number: number) => string) {
  const columns = [key, ...fields].join(', ')
  const parameters = (count: number) =>
    Array.from({ length: count }, (_, index) => parameter(index + 1)).join(', ')
  const insert = `INSERT INTO ${name} (${columns}) VALUES (${parameters(1 + fields.length)})`
  return {
    columns,
    insert,
    put: `${insert} ON CONFLICT (${key}) DO UPDATE SET ${fields.map((field) => `${field} = excluded.${field}`).join(', ')}`,
    /** Rows of the key and all fields, in any order. */
    get: (keys: number) => `SELECT ${columns} FROM ${name} WHERE ${key} IN (${parameters(keys)})`,
    /** Parameters: the values, then the key. */
    update(changed: readonly number[]) {
      const assignments = changed.map((index, at) => `${fields[index]} = ${parameter(at + 1)}`)
      return `UPDATE ${name} SET ${assignments.join(', ')} WHERE ${key} = ${parameter(changed.length + 1)}`
    },
    /** Parameters: the first key and the limit. */
    scan: `SELECT ${columns} FROM ${name} WHERE ${key} >= ${parameter(1)} ORDER BY ${key} LIMIT ${parameter(2)}`,
  }
}
