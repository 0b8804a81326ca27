// SPDX-License-Identifier: Apache-2.0
import { createClient, WatchError } from '@redis/client'
import {
  type FieldChange,
  type Fields,
  missingRecord,
  type Store,
  type StoreRecord,
  type Table,
  transactionsBy,
} from './store.ts'

/**
 * A hash for each record, and a sorted set of the keys for scans (YCSB's own binding ranges over hashes
 * of the keys, which is not their order). A connection for each client; WATCH makes a transaction.
 */
export async function openRedisStore(
  { origin }: { readonly origin: string },
  table: Table,
  clients: number,
): Promise<Store> {
  const connections = Array.from({ length: clients }, () => createClient({ url: origin }))
  await Promise.all(connections.map((connection) => connection.connect()))
  type Connection = (typeof connections)[number]
  const of = (client: number) => connections[client] as Connection
  const hashOf = (changes: readonly FieldChange[]): Record<string, string> =>
    Object.fromEntries(changes.map(([index, value]) => [table.fields[index], String(value)]))
  const read = async (connection: Connection, key: string): Promise<Fields> => {
    const hash = await connection.hGetAll(key)
    const fields = table.fields.map((name) => hash[name])
    if (fields.includes(undefined)) throw missingRecord(key)
    return fields as Fields
  }
  const put = async (connection: Connection, records: readonly StoreRecord[]): Promise<void> => {
    const commands = connection.multi()
    for (const { key, fields } of records) {
      commands.hSet(key, hashOf(fields.map((value, index) => [index, value] as const)))
      // All keys have one score, and so lie in the order of their bytes.
      commands.zAdd(table.name, { score: 0, value: key })
    }
    await commands.exec()
  }
  return {
    get: (client, key) => read(of(client), key),
    put: (client, record) => put(of(client), [record]),
    insert: (client, record) => put(of(client), [record]),
    async update(client, key, changes) {
      await of(client).hSet(key, hashOf(changes))
    },
    async scan(client, key, count) {
      const connection = of(client)
      const page = { BY: 'LEX' as const, LIMIT: { offset: 0, count } }
      const keys = await connection.zRange(table.name, `[${key}`, '+', page)
      return await Promise.all(keys.map((one) => read(connection, one)))
    },
    ...transactionsBy(async (client, keys, change) => {
      const connection = of(client)
      await connection.watch([...keys])
      const changed = change(await Promise.all(keys.map((key) => read(connection, key))))
      const commands = connection.multi()
      for (const [at, key] of keys.entries()) commands.hSet(key, hashOf(changed[at] ?? []))
      try {
        await commands.exec()
        return true
      } catch (error) {
        if (error instanceof WatchError) return false
        throw error
      }
    }),
    async create() {},
    insertMany: (records) => put(of(0), records),
    async close() {
      await Promise.all(connections.map((connection) => connection.close()))
    },
  }
}
