// SPDX-License-Identifier: Apache-2.0
import { HttpClient } from '../load/http-client.ts'
import { FIELD_COUNT, type FieldChange, type Fields, type YcsbRecord } from './record.ts'
import { missingRecord, type YcsbStore } from './store.ts'

// Behind the last key: a range that ends there is open.
const NO_END = base64('\0')

type Version = { readonly value: string; readonly mod_revision: string }

/**
 * One value for each record, with all fields in it, through etcd's own JSON gateway. Whoever writes one
 * field must read the others first; with all ten fields an update is one put.
 */
export async function openEtcdStore(
  { origin }: { readonly origin: string },
  clients: number,
): Promise<YcsbStore> {
  const http = new HttpClient(origin, clients)
  const ask = async (path: string, body: unknown) => {
    return JSON.parse(await http.post(`/v3/kv/${path}`, JSON.stringify(body)))
  }
  const range = async (key: string): Promise<Version> => {
    const { kvs = [] } = await ask('range', { key: base64(key) })
    if (kvs[0] === undefined) throw missingRecord(key)
    return kvs[0]
  }
  let retries = 0
  return {
    async read(_client, key) {
      return decode((await range(key)).value)
    },
    async update(_client, key, changes) {
      const old = changes.length === FIELD_COUNT ? [] : decode((await range(key)).value)
      await ask('put', put({ key, fields: changed(old, changes) }))
    },
    async insert(_client, record) {
      await ask('put', put(record))
    },
    async scan(_client, key, count) {
      const { kvs = [] } = await ask('range', { key: base64(key), range_end: NO_END, limit: count })
      return (kvs as Version[]).map(({ value }) => decode(value)).length
    },
    async modify(_client, key, changes) {
      for (;;) {
        const { value, mod_revision } = await range(key)
        const compare = [{ key: base64(key), target: 'MOD', result: 'EQUAL', mod_revision }]
        const success = [{ requestPut: put({ key, fields: changed(decode(value), changes) }) }]
        if ((await ask('txn', { compare, success })).succeeded === true) return
        retries += 1
      }
    },
    takeRetries() {
      const taken = retries
      retries = 0
      return taken
    },
    async create() {},
    async insertMany(records) {
      await ask('txn', { success: records.map((record) => ({ requestPut: put(record) })) })
    },
    close: async () => http.close(),
  }
}

function put({ key, fields }: YcsbRecord): { readonly key: string; readonly value: string } {
  return { key: base64(key), value: base64(JSON.stringify(fields)) }
}

function decode(value: string): Fields {
  return JSON.parse(Buffer.from(value, 'base64').toString())
}

function changed(old: Fields, changes: readonly FieldChange[]): Fields {
  const fields = [...old]
  for (const [index, text] of changes) fields[index] = text
  return fields
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
