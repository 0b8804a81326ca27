// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { Random } from '../load/random.ts'
import { EtcdServer } from '../servers/etcd-server.ts'
import { testFolder, testWithPeer } from '../servers/peer-tests.ts'
import { PercoliteServer } from '../servers/percolite-server.ts'
import { PostgresServer } from '../servers/postgres-server.ts'
import { RedisServer } from '../servers/redis-server.ts'
import { type Fields, FieldTexts } from './record.ts'
import { openStore, type StoreSettings } from './stores.ts'

type Started = { readonly settings: StoreSettings; close(): Promise<void> }

const STORES: ReadonlyArray<
  readonly [StoreSettings['kind'], string | undefined, (folder: string) => Promise<Started>]
> = [
  [
    'percolite',
    undefined,
    async (folder) => {
      const server = await PercoliteServer.start(folder)
      const { origin } = server
      return { settings: { kind: 'percolite', origin }, close: () => server.close() }
    },
  ],
  [
    'postgresql',
    'postgres',
    async (folder) => {
      const server = await PostgresServer.start(folder)
      const { address } = server
      return { settings: { kind: 'postgresql', address }, close: () => server.close() }
    },
  ],
  [
    'redis',
    'redis-server',
    async (folder) => {
      const server = await RedisServer.start(folder)
      const { url } = server
      return { settings: { kind: 'redis', url }, close: () => server.close() }
    },
  ],
  [
    'etcd',
    'etcd',
    async (folder) => {
      const server = await EtcdServer.start(folder)
      const { origin } = server
      return { settings: { kind: 'etcd', origin }, close: () => server.close() }
    },
  ],
  [
    'better-sqlite3',
    undefined,
    async (folder) => {
      const file = join(folder, 'ycsb.db')
      return { settings: { kind: 'better-sqlite3', file }, close: async () => {} }
    },
  ],
]

function withField(fields: Fields, index: number, text: string): Fields {
  return fields.map((old, at) => (at === index ? text : old))
}

for (const [kind, program, start] of STORES) {
  testWithPeer(program, `${kind} gives back what YCSB has written`, async (context) => {
    const server = await start(await testFolder(context, 'ycsb-test'))
    try {
      await assertGivesBackWhatIsWritten(server.settings)
    } finally {
      await server.close()
    }
  })
}

async function assertGivesBackWhatIsWritten(settings: StoreSettings): Promise<void> {
  const store = await openStore(settings, 4)
  try {
    const random = new Random(1)
    const texts = new FieldTexts()
    const records = Array.from({ length: 20 }, (_, number) => texts.record(number, random))
    await store.create()
    await store.insertMany(records.slice(0, 19))
    const [first, second] = records as [(typeof records)[0], (typeof records)[0]]
    const last = records[19] as (typeof records)[0]
    await store.insert(0, last)
    assert.deepEqual(await store.read(1, last.key), last.fields)

    await store.update(0, first.key, [[3, 'three']])
    const changed = withField(first.fields, 3, 'three')
    assert.deepEqual(await store.read(1, first.key), changed)
    await store.update(
      2,
      second.key,
      first.fields.map((text, index) => [index, text] as const),
    )
    assert.deepEqual(await store.read(3, second.key), first.fields)

    await store.modify(0, first.key, [[9, 'nine']])
    assert.deepEqual(await store.read(0, first.key), withField(changed, 9, 'nine'))
    assert.equal(store.takeRetries(), 0)
    // Of several at once none may overwrite what another has written meanwhile.
    const fields = [0, 1, 2, 3]
    await Promise.all(fields.map((field) => store.modify(field, last.key, [[field, 'new']])))
    assert.deepEqual((await store.read(0, last.key)).slice(0, 4), ['new', 'new', 'new', 'new'])

    const keys = records.map(({ key }) => key).sort()
    assert.equal(await store.scan(0, keys[0] as string, 7), 7)
    assert.equal(await store.scan(0, keys[15] as string, 100), 5)
    await assert.rejects(store.read(0, 'user0'), /there is no record user0/)
  } finally {
    await store.close()
  }
}
