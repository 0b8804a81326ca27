// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { percolite } from '../../test/cli/percolite.ts'
import { type TransferredTable, transferredTables } from '../../test/cli/transferred-tables.ts'
import { startTestServer, type TestServer } from '../../test/server/test-server.ts'
import { testFolder } from '../../test/test-folder.ts'

const RUNS = 30

async function make(server: TestServer, { name, statements, rows }: TransferredTable) {
  for (const sql of statements) {
    const { status, text } = await server.query(sql)
    assert.equal(status, 200, `${sql}: ${text}`)
  }
  if (rows.length === 0) return
  const path = `/v1/tables/${encodeURIComponent(name)}/rows?mode=skip`
  const headers = { 'content-type': 'application/json' }
  const { status, text } = await server.send({
    method: 'POST',
    path,
    text: `[${rows.join()}]`,
    headers,
  })
  assert.equal(status, 201, text)
}

async function dropAll(server: TestServer, tables: readonly TransferredTable[]) {
  for (const { name } of tables) await server.query(`DROP TABLE "${name.replaceAll('"', '""')}"`)
}

/** The files by their names; the manifest without its moment. */
async function filesOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).toSorted()
  const files = names.map(async (name) => {
    const bytes = await readFile(join(folder, name))
    if (name !== 'manifest.json') return [name, bytes.toString('base64')]
    return [name, bytes.toString().replace(/"readTimestamp": \d+/, '')]
  })
  return Object.fromEntries(await Promise.all(files))
}

test('what is exported and imported into an empty store is exported again byte for byte', async (t) => {
  const [from, into] = [await startTestServer(t), await startTestServer(t)]
  const urls = [(await from.listen()).url, (await into.listen()).url] as const
  const folder = await testFolder(t, 'round-trip')
  let run = 0
  const form = fc.constantFrom([], ['--format', 'csv'], ['--gzip'], ['--format', 'csv', '--gzip'])
  const parallel = fc.constantFrom('1', '4')
  const batch = fc.constantFrom('1', '5', '1000')
  await fc.assert(
    fc.asyncProperty(
      transferredTables,
      form,
      parallel,
      batch,
      async (tables, asked, parallelText, batchText) => {
        run += 1
        const [first, second] = [join(folder, `${run}-a`), join(folder, `${run}-b`)]
        try {
          for (const table of tables) await make(from, table)
          const made = await percolite(['export', urls[0], '--out', first, ...asked])
          assert.equal(made.code, 0, made.errors)
          const flags = ['--parallel', parallelText, '--batch', batchText, '--json']
          const taken = await percolite(['import', urls[1], first, ...flags])
          assert.equal(taken.code, 0, taken.errors)
          const again = await percolite(['export', urls[1], '--out', second, ...asked])
          assert.equal(again.code, 0, again.errors)
          assert.deepEqual(await filesOf(second), await filesOf(first))
        } finally {
          await dropAll(from, tables)
          await dropAll(into, tables)
        }
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  )
})
