// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readFeed } from '../../../test/storage/recorded-feed.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { checkConsistency } from '../../operations/consistency/consistency-check.ts'
import { openStorage, Storage } from '../../storage.ts'
import {
  decodeFeedBegins,
  encodeFeedBegins,
  FEED_BEGINS_ROW,
  readFeedBegins,
} from './feed-begins.ts'

/** The owner of a store closes it, and it is to be opened again. */
class StoreLeftOpen extends MemoryCellStore {
  override async close(): Promise<void> {}
}

async function put(storage: Storage, value: string): Promise<number> {
  const transaction = await storage.begin()
  transaction.put(Buffer.from('\u0001bob'), '0', Buffer.from(value))
  return (await transaction.commit()).commitTs as number
}

for (const [before, after] of [
  ['exclusive', 'shared'],
  ['shared', 'exclusive'],
] as const) {
  test(`a store of ${before} use that is opened for ${after} use tells no subscriber less than all`, async () => {
    const cellStore = new StoreLeftOpen()
    const first = await Storage.open(cellStore, { owner: before })
    const position = await first.feed.resolved()
    const missed = await put(first, 'missed')
    await first.close()

    const second = await Storage.open(cellStore, { owner: after })
    const begins = await readFeedBegins(cellStore)
    const oldest = begins?.at as number
    assert.ok(oldest >= missed)
    for (const since of [position, missed - 1, oldest - 1]) {
      await assert.rejects(second.feed.read(since, { rowsMax: 10 }), {
        code: 'resume_too_old',
        fields: { since, oldest },
      })
    }
    const told = await put(second, 'told')
    const commits = await readFeed(second.feed, oldest)
    assert.deepEqual(
      commits.map(({ commitTs }) => commitTs),
      [told],
    )
    await second.close()
    const { problems } = await checkConsistency(cellStore)
    // The row is of no table, which is the one thing that is wrong here.
    assert.deepEqual(
      problems.filter(({ rule }) => rule !== 'T1'),
      [],
    )

    const third = await Storage.open(cellStore, { owner: before })
    await assert.rejects(third.feed.read(told - 1, { rowsMax: 10 }), { code: 'resume_too_old' })
    await third.close()
  })
}

test('a change of --commit begins the log anew, and positions from before it are too old', async (t) => {
  const dataDirectory = await testFolder(t, 'begins')
  for (const commit of ['one-phase', 'two-phase', 'one-phase'] as const) {
    const storage = await openStorage({ engine: 'sqlite', dataDirectory, commit })
    t.after(() => storage.close())
    const since = await storage.feed.resolved()
    const commitTs = await put(storage, commit)
    const commits = await readFeed(storage.feed, since)
    assert.deepEqual(
      commits.map((one) => one.commitTs),
      [commitTs],
    )
    await storage.close()
    const other = commit === 'one-phase' ? 'two-phase' : 'one-phase'
    const changed = await openStorage({ engine: 'sqlite', dataDirectory, commit: other })
    t.after(() => changed.close())
    await assert.rejects(changed.feed.read(since, { rowsMax: 10 }), { code: 'resume_too_old' })
    await changed.close()
  }
})

test('a store that does not say where its log begins is asked which forms it has', async () => {
  const cellStore = new StoreLeftOpen()
  const gateway = await Storage.open(cellStore, { owner: 'shared' })
  const missed = await put(gateway, 'missed')
  await gateway.close()
  const all = { kind: 'deleteFromColumn', family: 'data', qualifier: '0', timestamps: {} } as const
  await cellStore.mutateRows([{ row: FEED_BEGINS_ROW, mutations: [all] }])
  const storage = await Storage.open(cellStore, { owner: 'exclusive' })
  await assert.rejects(storage.feed.read(missed - 1, { rowsMax: 1 }), { code: 'resume_too_old' })
  await storage.close()
})

test('the row is as docs/storage-format.md says', () => {
  const text = readFileSync(new URL('../../../docs/storage-format.md', import.meta.url), 'utf8')
  const example = /^\| `feed\/begins` \| .* \| `([0-9A-F ]+)` \|$/m.exec(text)?.[1] as string
  const bytes = Buffer.from(example.replaceAll(' ', ''), 'hex')
  const begins = { kind: 'shared', at: 1769860800000000 } as const
  assert.deepEqual(Buffer.from(encodeFeedBegins(begins)), bytes)
  assert.deepEqual(decodeFeedBegins(bytes), begins)
  for (const wrong of [bytes.subarray(1), Buffer.concat([bytes, bytes]), Buffer.alloc(9)]) {
    assert.throws(() => decodeFeedBegins(wrong), { rule: 'J12' })
  }
})
