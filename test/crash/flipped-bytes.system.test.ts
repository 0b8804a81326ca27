// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import { checkDataDirectory } from '../../storage/operations/operations.ts'
import { type CellStoreError, openStorage, StorageError } from '../../storage/storage.ts'
import { createTable, scanRows } from '../../storage/tables/tables.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { putRow } from '../storage/row-writes.ts'
import { testFolder } from '../test-folder.ts'
import { outcomesOfFlips } from './flipped-server.ts'
import { readWriteAheadLog } from './write-ahead-log.ts'

/**
 * Single bytes of the files are changed, as a bad disk may. SQLite checks the structure of its pages
 * and the frames of its log, but keeps no checksum of a page: a byte within a value can change unseen.
 * So it is counted here what is seen. `FLIPS` and `FLIP_SEED` change the defaults; the seed is a fixed
 * one because damage to a length can keep SQLite reading for minutes, which no timer here can end.
 */
const FLIPS = Number(process.env.FLIPS ?? 20)
const SEED = Number(process.env.FLIP_SEED ?? 1)
const ROWS = 300
const run = promisify(execFile)

async function writeRows(dataDirectory: string, log: string): Promise<void> {
  const storage = await openStorage({ engine: 'sqlite', dataDirectory })
  const define = await storage.begin()
  const columns = [
    { name: 'id', type: 'INTEGER', notNull: true },
    { name: 'note', type: 'TEXT', notNull: true },
  ]
  const primaryKey = [{ column: 'id', descending: false }]
  const definition = { name: 'entry', columns, primaryKey }
  const catalog = await storage.catalog(define)
  const { table } = await createTable(define, catalog, definition, { ifNotExists: false })
  await define.commit()
  for (let id = 0; id < ROWS; id += 1) {
    const transaction = await storage.begin()
    await putRow(transaction, table, [BigInt(id), noteOf(id)], null)
    await transaction.commit()
  }
  // By a process of its own: closing a file here would drop the locks that this process has on it.
  await run('cp', ['-r', dataDirectory, log])
  await storage.close()
}

const noteOf = (id: number) => `${id}`.repeat(id % 7 === 0 ? 800 : 3)

type Seen = 'harmless' | 'refused' | 'reported' | 'rows are missing' | 'unseen'

/** What becomes of the damage: no answer may be wrong that the check calls sound, and nothing may hang. */
async function lookAt(dataDirectory: string): Promise<Seen> {
  try {
    const { problemCount } = await checkDataDirectory(dataDirectory)
    if (problemCount > 0) return 'reported'
    const storage = await openStorage({ engine: 'sqlite', dataDirectory })
    try {
      const transaction = await storage.begin({ readOnly: true })
      const table = (await storage.catalog(transaction)).table('entry')
      if (table === undefined) return 'rows are missing'
      let rows = 0
      for await (const { row } of scanRows(transaction, table, {})) {
        if (Number(row[0]) !== rows || row[1] !== noteOf(rows)) return 'unseen'
        rows += 1
      }
      return rows === ROWS ? 'harmless' : 'rows are missing'
    } finally {
      await storage.close()
    }
  } catch (error) {
    const { name } = error as CellStoreError
    assert.ok(error instanceof StorageError || name === 'CellStoreError', String(error))
    return 'refused'
  }
}

test(`${FLIPS} changed bytes of the file and of its log (FLIP_SEED=${SEED})`, async (t) => {
  const folder = await testFolder(t, 'flip')
  const random = new SeededRandomness(SEED)
  const closed = join(folder, 'closed')
  const open = join(folder, 'open')
  await writeRows(closed, open)
  const file = await readFile(join(closed, 'cells.db'))
  const [fileBelow, log] = await Promise.all(
    ['cells.db', 'cells.db-wal'].map((name) => readFile(join(open, name))),
  )
  assert.ok(fileBelow !== undefined && log !== undefined)
  const logBytes = readWriteAheadLog(log)?.committedBytes ?? 0
  const counts: Record<'file' | 'log', Partial<Record<Seen, number>>> = { file: {}, log: {} }
  for (let flip = 0; flip < FLIPS; flip += 1) {
    const image = join(folder, `image${flip}`)
    await mkdir(image)
    const target = flip % 3 === 2 ? 'log' : 'file'
    const bytes = Buffer.from(target === 'log' ? log : file)
    const at = random.below(target === 'log' ? logBytes : bytes.length)
    bytes[at] = (bytes[at] as number) ^ (1 << random.below(8))
    await writeFile(join(image, 'cells.db'), target === 'log' ? fileBelow : bytes)
    if (target === 'log') await writeFile(join(image, 'cells.db-wal'), bytes)
    const seen = await lookAt(image)
    counts[target][seen] = (counts[target][seen] ?? 0) + 1
    await rm(image, { recursive: true })
  }
  t.diagnostic(`bytes of the file: ${JSON.stringify(counts.file)}`)
  t.diagnostic(`bytes of the log: ${JSON.stringify(counts.log)}`)
  // The frames of the log have checksums: what stands behind a spoiled one is not taken, and never wrong.
  assert.equal(counts.log.unseen ?? 0, 0)
})

test('no count and no row of a server is wrong after flipped bits that SQLite can tell of', async (t) => {
  const seed = Number(process.env.FLIP_SEED ?? Date.now() % 1_000_000)
  t.diagnostic(`FLIP_SEED=${seed}`)
  const counts = await outcomesOfFlips(t, 2 * FLIPS, new SeededRandomness(seed))
  t.diagnostic(JSON.stringify(counts))
})
