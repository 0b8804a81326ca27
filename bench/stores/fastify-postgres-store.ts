// SPDX-License-Identifier: Apache-2.0
import { HttpClient, Retries, UnexpectedAnswer } from '../load/http-client.ts'
import type { PostgresAddress } from '../servers/postgres-server.ts'
import { openPostgresStore } from './postgres-store.ts'
import { type Fields, missingRecord, type Store, type Table, type Value } from './store.ts'

type Answer = Readonly<Record<string, Value>> & {
  readonly rows?: readonly unknown[]
  readonly attempts?: number
}

/** One request for each operation, over HTTP; tables are made and filled through pg. */
export async function openFastifyPostgresStore(
  { origin, address }: { readonly origin: string; readonly address: PostgresAddress },
  table: Table,
  clients: number,
): Promise<Store> {
  const { create, insertMany, afterLoading, ...direct } = await openPostgresStore(
    { address },
    table,
    1,
  )
  const http = new HttpClient(origin, clients)
  const retries = new Retries()
  const ask = async (route: string, body: unknown): Promise<Answer> => {
    const text = await http.ask(`/${table.name}/${route}`, JSON.stringify(body))
    const answer: Answer = JSON.parse(text)
    retries.add((answer.attempts ?? 1) - 1)
    return answer
  }
  const read = async (route: string, key: string, body: object): Promise<Fields> => {
    try {
      const row = await ask(route, { key, ...body })
      return table.fields.map((field) => row[field] as Value)
    } catch (error) {
      if (error instanceof UnexpectedAnswer && error.status === 404) throw missingRecord(key)
      throw error
    }
  }
  return {
    create,
    insertMany,
    ...(afterLoading === undefined ? {} : { afterLoading }),
    get: (_client, key) => read('get', key, {}),
    async put(_client, { key, fields }) {
      await ask('put', [key, ...fields])
    },
    async insert(_client, { key, fields }) {
      await ask('insert', [key, ...fields])
    },
    async update(_client, key, changes) {
      await ask('update', { key, changes })
    },
    scan: async (_client, key, count) => (await ask('scan', { key, count })).rows ?? [],
    async modify(_client, key, changes) {
      await read('modify', key, { changes })
    },
    async transfer(_client, from, to) {
      await ask('transfer', { from, to })
    },
    takeRetries: () => retries.take(),
    async close() {
      http.close()
      await direct.close()
    },
  }
}
