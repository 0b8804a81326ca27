// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path'
import { LoadProcess } from '../load/load-process.ts'
import { Random } from '../load/random.ts'
import { EtcdServer } from '../servers/etcd-server.ts'
import type { MeasuredServer } from '../servers/measured-server.ts'
import { type PercoliteOptions, PercoliteServer } from '../servers/percolite-server.ts'
import { PostgresServer } from '../servers/postgres-server.ts'
import { RedisServer } from '../servers/redis-server.ts'
import { FieldTexts } from './record.ts'
import { openStore, type StoreSettings } from './stores.ts'
import type { YcsbSettings } from './ycsb-workload.ts'

const RECORDS_PER_LOAD = 100
const LOAD_SEED = 100
const RUN_SEED = 2010

export type StoreKind = StoreSettings['kind']

/** A store with all records in it, and a load process that is connected to it. */
export type LoadedStore = MeasuredServer & {
  readonly load: LoadProcess
  readonly loadSeconds: number
  /** It runs in the load process itself. */
  readonly inProcess: boolean
}

type StartedStore = {
  readonly settings: StoreSettings
  /** Undefined where the store is in the load process. */
  readonly server: MeasuredServer | undefined
}

export async function startLoadedStore(order: {
  readonly kind: StoreKind
  readonly folder: string
  readonly records: number
  readonly clients: number
  readonly uniformKeys: boolean
  readonly percolite: PercoliteOptions
}): Promise<LoadedStore> {
  const { kind, folder, records, clients, uniformKeys, percolite } = order
  const { settings, server } = await startStore(kind, folder, percolite)
  try {
    const loadSeconds = await loadRecords(settings, records)
    const load = await LoadProcess.open({
      module: new URL('./ycsb-workload.ts', import.meta.url).href,
      settings: { store: settings, records, uniformKeys } satisfies YcsbSettings,
      clients,
      seed: RUN_SEED,
      holdsStore: server === undefined,
    })
    return {
      pid: server?.pid ?? process.pid,
      load,
      loadSeconds,
      inProcess: server === undefined,
      async close() {
        await load.close()
        await server?.close()
      },
    }
  } catch (error) {
    await server?.close()
    throw error
  }
}

async function startStore(
  kind: StoreKind,
  folder: string,
  percolite: PercoliteOptions,
): Promise<StartedStore> {
  switch (kind) {
    case 'percolite': {
      const server = await PercoliteServer.start(folder, percolite)
      return { server, settings: { kind, origin: server.origin } }
    }
    case 'postgresql': {
      const server = await PostgresServer.start(folder)
      return { server, settings: { kind, address: server.address } }
    }
    case 'redis': {
      const server = await RedisServer.start(folder)
      return { server, settings: { kind, url: server.url } }
    }
    case 'etcd': {
      const server = await EtcdServer.start(folder)
      return { server, settings: { kind, origin: server.origin } }
    }
    case 'better-sqlite3':
      return { server: undefined, settings: { kind, file: join(folder, 'ycsb.db') } }
  }
}

/** Answers how many seconds it took; each piece is on disk before the next one is sent. */
async function loadRecords(settings: StoreSettings, records: number): Promise<number> {
  const store = await openStore(settings, 1)
  try {
    const random = new Random(LOAD_SEED)
    const texts = new FieldTexts()
    const beganMs = performance.now()
    await store.create()
    for (let first = 0; first < records; first += RECORDS_PER_LOAD) {
      const length = Math.min(RECORDS_PER_LOAD, records - first)
      const piece = Array.from({ length }, (_, offset) => texts.record(first + offset, random))
      await store.insertMany(piece)
    }
    return (performance.now() - beganMs) / 1000
  } finally {
    await store.close()
  }
}
