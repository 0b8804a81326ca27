// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { connect, type Database } from '../../client-sdk/client.ts'
import { Receiving } from '../../test/relays/receiving.ts'
import { ServerProcess } from '../../test/server/server-process.ts'
import { check } from './check.ts'
import { exportClusters, untilExported } from './export.ts'
import { crawl, writePage } from './pages/crawl.ts'
import { type Page, writeHtml } from './pages/html.ts'
import { syntheticWeb } from './pages/synthetic-web.ts'
import { untilAtRest } from './rest.ts'
import { createSchema } from './schema.ts'
import { search } from './search.ts'

const MODULE = fileURLToPath(new URL('./observers.ts', import.meta.url))

const A = 'http://a.example/'
const B = 'http://b.example/'
const C = 'http://c.example/'
const D = 'http://d.example/'
const E = 'http://e.example/'

/** A server with the observers of the example, which can be killed and started again. */
class Index {
  readonly #data: string
  readonly #flags: readonly string[]
  readonly signal: AbortSignal
  #server: ServerProcess | undefined
  db: Database = connect()

  private constructor(data: string, flags: readonly string[], signal: AbortSignal) {
    this.#data = data
    this.#flags = ['--observers', MODULE, ...flags]
    this.signal = signal
  }

  static async start(t: TestContext, ...flags: readonly string[]): Promise<Index> {
    const folder = await mkdtemp(join(tmpdir(), 'percolite-index-'))
    const index = new Index(join(folder, 'data'), flags, t.signal)
    t.after(async () => {
      await index.#server?.stop()
      await rm(folder, { recursive: true, force: true })
    })
    await index.restart()
    await createSchema(index.db)
    return index
  }

  async restart(): Promise<void> {
    this.#server = await ServerProcess.start(this.#data, this.#flags)
    this.db = connect({ url: this.#server.url })
  }

  async kill(): Promise<void> {
    await this.#server?.killNine()
  }

  /** One page after the other, each when the observers are at rest. */
  async crawl(pages: Readonly<Record<string, Partial<Page> | undefined>>): Promise<void> {
    for (const [url, page] of Object.entries(pages)) {
      const body = page && writeHtml({ title: url, text: '', links: [], ...page })
      await writePage(this.db, url, body, this.signal)
      await this.rest()
    }
  }

  async rest(): Promise<number> {
    const statuses = await untilAtRest(this.#server?.url as string, this.signal)
    return statuses.reduce((sum, { runs }) => sum + runs, 0)
  }

  /** Which urls are found, the number of their copies, and their ranks. */
  async search(...words: string[]): Promise<unknown[]> {
    const hits = await search(this.db, words, { signal: this.signal })
    return hits.map(({ url, copies, rank }) => [url, copies, rank])
  }

  async differences(): Promise<readonly string[]> {
    return (await check(this.db, this.signal)).differences
  }
}

test('of copies the one with the highest rank is found, with the links to all; when it goes, the next takes its place', async (t) => {
  const index = await Index.start(t)
  const copy = { title: 'copy', text: 'the cat sat on the mat' }
  // Of equals, the first url, whichever came first.
  await index.crawl({ [B]: copy, [A]: copy })
  assert.deepEqual(await index.search('cat', 'mat'), [[A, 1, 150]])
  await index.crawl({ [C]: { text: 'see there', links: [[B, 'cats']] } })
  assert.deepEqual(await index.search('cat'), [[B, 1, 150 + 127]])
  assert.deepEqual(await index.search('cat', 'dog'), [])
  // A link to each of them, and one of these pages is linked to itself.
  await index.crawl({ [D]: { text: 'and here', links: [[A, 'cats']] } })
  assert.deepEqual(await index.search('cat'), [[A, 1, 150 + 127 + 127]])
  await index.crawl({ [E]: { text: 'look', links: [[C, 'cats']] } })
  assert.deepEqual(await index.search('cat'), [[B, 1, 150 + 235 + 127]])
  assert.deepEqual(await index.differences(), [])

  await index.crawl({ [B]: undefined })
  assert.deepEqual(await index.search('cat'), [[A, 0, 277]])
  await index.crawl({ [A]: { text: 'a dog' } })
  assert.deepEqual(await index.search('cat'), [])
  assert.deepEqual(await index.search('dog'), [[A, 0, 277]])
  assert.deepEqual(await index.differences(), [])
})

test('what links say are words of the page that they lead to, or of the one that stands for it', async (t) => {
  const index = await Index.start(t)
  const postings = async () => {
    const { rows } = await index.db.sql<{ word: string; url: string; count: number }>`
      SCAN word, url, count FROM posting
      WHERE word IN ('feline', 'friends', 'mat', 'tabby') AND url IN (${A}, ${B})`
    return rows.map(({ url, word, count }) => `${url} ${word} ${count}`)
  }
  const to = (target: string, says: string) => ({ text: says, links: [[target, says] as const] })
  const copy = { title: 'copy', text: 'the cat sat on the mat' }
  await index.crawl({ [A]: copy, [C]: to(B, 'feline friends') })
  assert.deepEqual(await postings(), [`${A} mat 1`], 'nothing is known of B')
  await index.crawl({ [B]: copy })
  assert.deepEqual(await postings(), [`${B} feline 1`, `${B} friends 1`, `${B} mat 1`])
  assert.deepEqual(await index.search('feline', 'mat'), [[B, 1, 277]])

  // The words of all links move to the page that stands for both now.
  await index.crawl({ [D]: to(A, 'tabby friends'), [E]: to(A, 'mat') })
  const all = [`${A} feline 1`, `${A} friends 2`, `${A} mat 2`, `${A} tabby 1`]
  assert.deepEqual(await postings(), all)
  assert.deepEqual(await index.search('cat', 'feline'), [[A, 1, 150 + 3 * 127]])

  // The rank is what it was.
  await index.crawl({ [C]: to(B, 'friends') })
  assert.deepEqual(await postings(), all.slice(1))
  await index.crawl({ [D]: undefined })
  assert.deepEqual(await postings(), [`${A} friends 1`, `${A} mat 2`])
  await index.crawl({ [A]: undefined, [C]: undefined })
  assert.deepEqual(await postings(), [`${B} mat 1`], 'the link of E leads nowhere')
  assert.deepEqual(await index.differences(), [])
})

test('a page is rendered again when what it includes changes, comes or goes', async (t) => {
  const index = await Index.start(t)
  const found = async (word: string) =>
    (await index.search(word)).map((hit) => (hit as [string])[0])
  await index.crawl({
    [A]: { text: 'a page', includes: [C] },
    [B]: { text: 'another', includes: [C] },
  })
  await index.crawl({ [C]: { text: 'fresh news', includes: [D] } })
  assert.deepEqual(await found('news'), [A, B, C])
  await index.crawl({ [D]: { text: 'included by C alone' } })
  assert.deepEqual(await found('alone'), [C, D], 'what is included does not include')
  assert.deepEqual(await index.differences(), [])

  await index.crawl({ [A]: { text: 'a page' }, [C]: { text: 'old stories' } })
  assert.deepEqual(await found('news'), [])
  assert.deepEqual(await found('stories'), [B, C])
  await index.crawl({ [C]: undefined })
  assert.deepEqual(await found('stories'), [])
  assert.deepEqual(await found('another'), [B])
  assert.deepEqual(await index.differences(), [])
})

test('a page that says which url is its true one is found with that', async (t) => {
  const index = await Index.start(t)
  await index.crawl({
    [A]: { text: 'a long story', canonical: A },
    [B]: { text: 'for printing: a long story', canonical: A },
  })
  assert.deepEqual(await index.search('story'), [[A, 1, 150]])
  assert.deepEqual(await index.search('printing'), [])
})

test('a change of links is felt as many steps away as ranks have, and no further', async (t) => {
  const index = await Index.start(t)
  const chain = Array.from({ length: 6 }, (_, n) => `http://chain.example/${n}`)
  const pages = chain.map((url, n): [string, Partial<Page>] => {
    const next = chain[n + 1]
    return [url, { text: `link${n}`, links: next === undefined ? [] : [[next, 'next']] }]
  })
  await index.crawl(Object.fromEntries(pages))
  const ranks = async () => {
    const { rows } = await index.db.query<{ url: string; rank: number }>(
      'SCAN url, rank FROM rank USE PRIMARY KEY',
    )
    return new Map(rows.map(({ url, rank }) => [url, rank]))
  }
  const before = await ranks()
  await index.crawl({ [A]: { text: 'a fan', links: [[chain[0] as string, 'look']] } })
  const after = await ranks()
  const changed = chain.filter((url) => before.get(url) !== after.get(url))
  assert.deepEqual(changed, chain.slice(0, 3))
  assert.deepEqual(await index.differences(), [])
})

test('a server that is killed in the middle goes on, and in the end all tables are as recomputed, and exported', async (t) => {
  const receiving = await Receiving.start(t)
  const index = await Index.start(t, '--relay-to', receiving.url)
  receiving.secret = await exportClusters(index.db, receiving.url)
  const { rounds } = syntheticWeb(60, 7)
  const [first = []] = rounds
  let crawled = 0
  let killed: Promise<void> | undefined
  const crawling = crawl(index.db, first, {
    crawlers: 8,
    signal: t.signal,
    onPage: () => {
      crawled += 1
      if (crawled === 30) killed = index.kill()
    },
  })
  await assert.rejects(crawling, { code: 'connection_failed' })
  await killed
  await index.restart()
  assert.ok((await index.rest()) > 0, 'there was something left to do')
  assert.deepEqual(await index.differences(), [])
  await untilExported(index.db, receiving, t.signal)

  // Now some messages never come, or their answers.
  const began = receiving.seen.length
  receiving.reply = (_, count) => {
    const kind = { 10: 'close', 20: 'swallow', 21: 'swallow' } as const
    return { kind: kind[(count - began) as keyof typeof kind] ?? 'pass' }
  }
  for (const round of rounds) {
    await crawl(index.db, round, { crawlers: 8, signal: t.signal, onPage: () => {} })
  }
  await index.rest()
  const { rows, differences } = await check(index.db, t.signal)
  assert.deepEqual(differences, [])
  const count = (table: string) => rows.get(table) as number
  assert.ok(count('cluster') < count('member'), 'there were copies')
  assert.equal(count('member'), count('page'))
  const { clusters, messages } = await untilExported(index.db, receiving, t.signal)
  assert.equal(clusters, count('cluster'))
  const ids = receiving.seen.map(({ id }) => id)
  assert.ok(ids.length - new Set(ids).size >= 3, `of ${messages} some came again`)
})

test('the check tells each row that is wrong, missing or too many', async (t) => {
  const index = await Index.start(t)
  await index.crawl({ [A]: { title: 'cat', text: 'a cat', links: [[B, 'to b']] } })
  assert.deepEqual(await index.differences(), [])
  const { rows } = await index.db.query<{ id: number }>('SCAN id FROM cluster')
  const cluster = rows[0]?.id
  await index.db.sql`SET count = 9 ON posting WHERE word = ${'cat'} AND cluster = ${cluster}`
  await index.db.sql`DELETE FROM rank WHERE url = ${B}`
  await index.db.sql`INSERT INTO cluster_key (pass, key, cluster) VALUES (1, ${C}, ${cluster})`
  assert.deepEqual(await index.differences(), [
    `cluster_key has [1,"${C}",${cluster}]`,
    `posting has ["cat",${cluster},"${A}",9]`,
    `posting lacks ["cat",${cluster},"${A}",2]`,
    `rank lacks ["${B}",[1000,277,277],277,[["b",1],["to",1]]]`,
  ])
})
