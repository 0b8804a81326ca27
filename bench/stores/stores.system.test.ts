// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { ACCOUNTS } from '../load/data.ts'
import { Random } from '../load/random.ts'
import { testFolder, testWithPeer } from '../servers/peer-tests.ts'
import { FieldTexts, USERTABLE } from '../ycsb/record.ts'
import { openStore, type StoreKind, type StoreSettings } from './open-store.ts'
import { loadTable, PROGRAMS, startStore } from './start-store.ts'
import type { Fields } from './store.ts'

const FEW = { length: 20 }

function withField(fields: Fields, index: number, text: string): Fields {
  return fields.map((old, at) => (at === index ? text : old))
}

for (const [kind, program] of Object.entries(PROGRAMS) as [StoreKind, string | undefined][]) {
  testWithPeer(program, `${kind} gives back what was written`, async (context) => {
    const started = await startStore(kind, await testFolder(context, 'store-test'))
    try {
      await assertGivesBackWhatIsWritten(started.settings)
      await assertTransfersKeepTheSum(started.settings)
    } finally {
      await started.close()
    }
  })
}

async function assertGivesBackWhatIsWritten(settings: StoreSettings): Promise<void> {
  const store = await openStore(settings, USERTABLE, 4)
  try {
    const random = new Random(1)
    const texts = new FieldTexts()
    const records = Array.from(FEW, (_, number) => texts.record(number, random))
    await store.create()
    await store.insertMany(records.slice(0, 19))
    const [first, second] = records as [(typeof records)[0], (typeof records)[0]]
    const last = records[19] as (typeof records)[0]
    await store.insert(0, last)
    assert.deepEqual(await store.get(1, last.key), last.fields)

    await store.update(0, first.key, [[3, 'three']])
    const changed = withField(first.fields, 3, 'three')
    assert.deepEqual(await store.get(1, first.key), changed)
    await store.update(
      2,
      second.key,
      first.fields.map((text, index) => [index, text] as const),
    )
    assert.deepEqual(await store.get(3, second.key), first.fields)

    await store.modify(0, first.key, [[9, 'nine']])
    assert.deepEqual(await store.get(0, first.key), withField(changed, 9, 'nine'))
    assert.equal(store.takeRetries(), 0)
    // Of several at once none may overwrite what another has written meanwhile.
    const fields = [0, 1, 2, 3]
    await Promise.all(fields.map((field) => store.modify(field, last.key, [[field, 'new']])))
    assert.deepEqual((await store.get(0, last.key)).slice(0, 4), ['new', 'new', 'new', 'new'])

    const keys = records.map(({ key }) => key).sort()
    assert.equal((await store.scan(0, keys[0] as string, 7)).length, 7)
    assert.equal((await store.scan(0, keys[15] as string, 100)).length, 5)
    await assert.rejects(store.get(0, 'user0'), /there is no record user0/)
  } finally {
    await store.close()
  }
}

async function assertTransfersKeepTheSum(settings: StoreSettings): Promise<void> {
  const accounts = ['a', 'b', 'c'].map((key) => ({ key, fields: [10] }))
  await loadTable(settings, ACCOUNTS, [accounts])
  const store = await openStore(settings, ACCOUNTS, 4)
  try {
    // Four clients at once, who all take from one account.
    const clients = [0, 1, 2, 3].map(async (client) => {
      for (let times = 0; times < 5; times += 1) {
        await store.transfer(client, 'a', client % 2 === 0 ? 'b' : 'c')
      }
    })
    await Promise.all(clients)
    const left = await Promise.all(accounts.map(({ key }, client) => store.get(client, key)))
    assert.deepEqual(
      left.map(([balance]) => Number(balance)),
      [-10, 20, 20],
    )
    await store.put(0, { key: 'a', fields: [7] })
    await store.put(0, { key: 'd', fields: [8] })
    assert.equal(Number((await store.get(0, 'a'))[0]), 7)
    assert.equal(Number((await store.get(0, 'd'))[0]), 8)
  } finally {
    await store.close()
  }
}
