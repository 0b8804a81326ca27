// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual, promisify } from 'node:util'
import { findFileProblems } from '../../storage/cells/sqlite/file/integrity.ts'
import type { SeededRandomness } from '../seeded-randomness.ts'
import { startTestServer } from '../server/test-server.ts'
import { testFolder } from '../test-folder.ts'

const run = promisify(execFile)
export const PAGE_BYTES = 8192
export const ROWS = 600
export const COUNT = 'SCAN count(*) AS n FROM entry USE PRIMARY KEY'
const NOTE = 'marked '.repeat(20)
const WRITTEN = Array.from({ length: ROWS }, (_, id) => ({ id, note: NOTE }))
export const SCAN = 'SCAN id, note FROM entry USE PRIMARY KEY LIMIT 1000'
/** The kind of a leaf page of the tables, which have no row ids. */
export const LEAF = 0x0a

/** A folder with two tables, and the leaf pages of `entry`. */
export async function givenFolder(t: TestContext) {
  const data = await testFolder(t, 'damaged')
  const flags = { engine: 'sqlite', data } as const
  const api = await startTestServer(t, { flags })
  for (const table of ['entry', 'other']) {
    await api.rows(`CREATE TABLE ${table} (id INTEGER PRIMARY KEY, note TEXT NOT NULL)`)
  }
  await api.rows("INSERT INTO other (id, note) VALUES (1, 'well')")
  for (let from = 0; from < ROWS; from += 100) {
    const ids = Array.from({ length: 100 }, (_, index) => from + index)
    const rows = ids.map((id) => `(${id}, '${NOTE}')`)
    await api.rows(`INSERT INTO entry (id, note) VALUES ${rows.join(', ')}`)
  }
  await api.server.close()
  const file = await readFile(join(data, 'cells.db'))
  const leaves: number[] = []
  for (let at = PAGE_BYTES; at < file.length; at += PAGE_BYTES) {
    const page = file.subarray(at, at + PAGE_BYTES)
    if (page[0] === LEAF && page.includes('marked marked')) leaves.push(at)
  }
  assert.ok(leaves.length > 5, `${leaves.length} leaves`)
  return { data, flags, file, leaves }
}

/** By a process of its own: closing the file here would drop the locks that this process has on it. */
export async function put(data: string, at: number, bytes: Uint8Array): Promise<void> {
  const patch = join(data, 'patch')
  await writeFile(patch, bytes)
  const to = [`of=${join(data, 'cells.db')}`, `seek=${at}`, 'oflag=seek_bytes']
  await run('dd', [`if=${patch}`, ...to, 'conv=notrunc', 'status=none'])
}

/** What `pageCheck` says once the check after a kill has ended. */
export async function endedCheckOf(api: Awaited<ReturnType<typeof startTestServer>>) {
  for (;;) {
    const { pageCheck } = (await api.get('/v1/status')).body
    if (pageCheck?.ended !== undefined) return pageCheck
    await sleep(20)
  }
}

/** `refused`: the server did not start on it, or its disk failed as a whole. */
type Outcome = 'right' | 'damaged' | 'named by the check' | 'refused' | 'not to be told'

/**
 * Flips one to eight bits of a page, before or after a server has started on the file as after a kill, and asks it.
 * Fails where a count or a row is wrong that SQLite would have told of. Returns how often each outcome was.
 */
export async function outcomesOfFlips(t: TestContext, rounds: number, random: SeededRandomness) {
  const { data, flags, file } = await givenFolder(t)
  const counts: Partial<Record<Outcome, number>> = {}
  for (let round = 0; round < rounds; round += 1) {
    const isBelow = round % 2 === 0
    const from = PAGE_BYTES * random.below(file.length / PAGE_BYTES)
    const page = Buffer.from(file.subarray(from, from + PAGE_BYTES))
    for (let left = 1 + random.below(8); left > 0; left -= 1) {
      const at = random.below(PAGE_BYTES)
      page[at] = (page[at] as number) ^ (1 << random.below(8))
    }
    await rm(data, { recursive: true })
    await mkdir(data)
    await writeFile(join(data, 'cells.db'), file)
    if (!isBelow) await put(data, from, page)
    await writeFile(join(data, 'lock.pid'), '1\n')
    const copy = await testFolder(t, 'flipped')
    await writeFile(join(copy, 'cells.db'), file)
    await put(copy, from, page)
    const below = isBelow ? () => put(data, from, page) : undefined
    const outcome = await outcomeOf(t, { flags, copy, below })
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}

async function outcomeOf(
  t: TestContext,
  {
    flags,
    copy,
    below = async () => {},
  }: {
    readonly flags: { readonly engine: 'sqlite'; readonly data: string }
    readonly copy: string
    readonly below: (() => Promise<void>) | undefined
  },
): Promise<Outcome> {
  const api = await startTestServer(t, { flags }).catch(() => undefined)
  if (api === undefined) return 'refused'
  try {
    await below()
    const [count, scan] = [await api.query(COUNT), await api.query(SCAN)]
    const refused = [count, scan].filter(({ status }) => status !== 200)
    for (const { body, text } of refused) assert.notEqual(body.code, 'internal', text)
    const rows = (answer: typeof count) => answer.body.results.at(-1).rows
    const isRight =
      (count.status !== 200 || rows(count)[0].n === ROWS) &&
      (scan.status !== 200 || isDeepStrictEqual(rows(scan), WRITTEN))
    if (isRight && refused.every(({ body }) => body.code === 'store_damaged')) {
      return refused.length === 0 ? 'right' : 'damaged'
    }
    if (isRight && refused.every(({ body }) => body.code === 'overloaded')) return 'refused'
    if ((await endedCheckOf(api)).state === 'damaged') return 'named by the check'
    // What `percolite check` says of the same bits.
    assert.deepEqual(findFileProblems(copy), [], `${count.text} ${scan.text.slice(0, 300)}`)
    return 'not to be told'
  } finally {
    await api.server.close()
  }
}
