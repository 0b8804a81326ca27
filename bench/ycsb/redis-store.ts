// SPDX-License-Identifier: Apache-2.0
import { createClient, WatchError } from '@redis/client'
import { FIELD_NAMES, type FieldChange, type Fields, type YcsbRecord } from './record.ts'
import { missingRecord, type YcsbStore } from './store.ts'

/** All keys with one score, and so in the order of their bytes. */
const KEYS = 'usertable'

/**
 * A hash for each record, and a sorted set of the keys for scans (YCSB's own binding ranges over hashes
 * of the keys, which is not their order). A connection for each client; WATCH makes a transaction.
 */
export async function openRedisStore(
  { url }: { readonly url: string },
  clients: number,
): Promise<YcsbStore> {
  const connections = Array.from({ length: clients }, () => createClient({ url }))
  await Promise.all(connections.map((connection) => connection.connect()))
  type Connection = (typeof connections)[number]
  const of = (client: number) => connections[client] as Connection
  const read = async (connection: Connection, key: string): Promise<Fields> => {
    const hash = await connection.hGetAll(key)
    const fields = FIELD_NAMES.map((name) => hash[name])
    if (fields.includes(undefined)) throw missingRecord(key)
    return fields as Fields
  }
  const insert = (connection: Connection, records: readonly YcsbRecord[]) => {
    const commands = connection.multi()
    for (const { key, fields } of records) {
      commands.hSet(key, hashOf(fields.map((text, index) => [index, text] as const)))
      commands.zAdd(KEYS, { score: 0, value: key })
    }
    return commands.exec()
  }
  let retries = 0
  return {
    read: (client, key) => read(of(client), key),
    async update(client, key, changes) {
      await of(client).hSet(key, hashOf(changes))
    },
    async insert(client, record) {
      await insert(of(client), [record])
    },
    async scan(client, key, count) {
      const connection = of(client)
      const page = { BY: 'LEX' as const, LIMIT: { offset: 0, count } }
      const keys = await connection.zRange(KEYS, `[${key}`, '+', page)
      return (await Promise.all(keys.map((one) => read(connection, one)))).length
    },
    async modify(client, key, changes) {
      const connection = of(client)
      for (;;) {
        await connection.watch(key)
        await read(connection, key)
        try {
          await connection.multi().hSet(key, hashOf(changes)).exec()
          return
        } catch (error) {
          if (!(error instanceof WatchError)) throw error
          retries += 1
        }
      }
    },
    takeRetries() {
      const taken = retries
      retries = 0
      return taken
    },
    async create() {},
    async insertMany(records) {
      await insert(of(0), records)
    },
    async close() {
      await Promise.all(connections.map((connection) => connection.close()))
    },
  }
}

function hashOf(changes: readonly FieldChange[]): Record<string, string> {
  return Object.fromEntries(changes.map(([index, text]) => [FIELD_NAMES[index], text]))
}
