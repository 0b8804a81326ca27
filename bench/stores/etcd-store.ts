// SPDX-License-Identifier: Apache-2.0
import { HttpClient } from '../load/http-client.ts'
import {
  type FieldChange,
  type Fields,
  missingRecord,
  type Store,
  type StoreRecord,
  type Table,
  transactionsBy,
} from './store.ts'

// Behind the last key: a range that ends there is open.
const NO_END = base64('\0')

type Version = { readonly value: string; readonly mod_revision: string }
type Range = { readonly kvs?: readonly Version[] }

/**
 * One value for each record, with all fields in it, through etcd's own JSON gateway. Whoever writes one
 * field must read the others first; with all of them an update is one put. A transaction is two
 * round trips: a read of all keys, and a write if none of them was written since.
 */
export async function openEtcdStore(
  { origin }: { readonly origin: string },
  table: Table,
  clients: number,
): Promise<Store> {
  const http = new HttpClient(origin, clients)
  const ask = async (path: string, body: unknown) => {
    return JSON.parse(await http.ask(`/v3/kv/${path}`, JSON.stringify(body)))
  }
  const get = async (key: string): Promise<Fields> => {
    return decode(versionOf(await ask('range', { key: base64(key) }), key))
  }
  const put = async (record: StoreRecord): Promise<void> => {
    await ask('put', encode(record))
  }
  return {
    get: (_client, key) => get(key),
    put: (_client, record) => put(record),
    insert: (_client, record) => put(record),
    async update(_client, key, changes) {
      const old = changes.length === table.fields.length ? [] : await get(key)
      await put({ key, fields: changed(old, changes) })
    },
    async scan(_client, key, count) {
      const { kvs = [] } = await ask('range', { key: base64(key), range_end: NO_END, limit: count })
      return (kvs as Version[]).map(decode)
    },
    ...transactionsBy(async (_client, keys, change) => {
      const ranges = keys.map((key) => ({ requestRange: { key: base64(key) } }))
      const { responses } = await ask('txn', { success: ranges })
      const versions = keys.map((key, at) => versionOf(responses[at].response_range, key))
      const read = versions.map(decode)
      const changes = change(read)
      const compare = keys.map((key, at) => {
        const { mod_revision } = versions[at] as Version
        return { key: base64(key), target: 'MOD', result: 'EQUAL', mod_revision }
      })
      const success = keys.map((key, at) => {
        return { requestPut: encode({ key, fields: changed(read[at] ?? [], changes[at] ?? []) }) }
      })
      return (await ask('txn', { compare, success })).succeeded === true
    }),
    async create() {},
    async insertMany(records) {
      await ask('txn', { success: records.map((record) => ({ requestPut: encode(record) })) })
    },
    close: async () => http.close(),
  }
}

function versionOf({ kvs }: Range, key: string): Version {
  const version = kvs?.[0]
  if (version === undefined) throw missingRecord(key)
  return version
}

function encode({ key, fields }: StoreRecord): { readonly key: string; readonly value: string } {
  return { key: base64(key), value: base64(JSON.stringify(fields)) }
}

function decode({ value }: Version): Fields {
  return JSON.parse(Buffer.from(value, 'base64').toString())
}

function changed(old: Fields, changes: readonly FieldChange[]): Fields {
  const fields = [...old]
  for (const [index, value] of changes) fields[index] = value
  return fields
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
