// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { connect } from '../../client-sdk/client.ts'

const MAIN = fileURLToPath(new URL('../../cli/cli.ts', import.meta.url))

export const BATCH_ROWS = 100

/** A file of so many rows, as an export writes it, the table for them, and `percolite` as a process of its own. */
export async function importedFile(t: TestContext, folder: string, rows: number) {
  const path = join(folder, 'item.ndjson')
  const lines = Array.from(
    { length: rows },
    (_, id) => `{"id":${id},"body":"${'x'.repeat(id % 90)}"}\n`,
  )
  await writeFile(path, lines.join(''))

  const start = (...args: readonly string[]) => {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    t.after(() => child.kill('SIGKILL'))
    return { child, ended: ended(child) }
  }
  return {
    createTable: async (url: string) => {
      await connect({ url }).query('CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT NOT NULL)')
    },
    import: (url: string, ...flags: readonly string[]) =>
      start(
        ...['import', url, path, '--table', 'item', '--json', '--batch', String(BATCH_ROWS)],
        ...flags,
      ),
    /** Exports the table, and requires the file byte for byte. */
    requireExported: async (url: string) => {
      const out = join(folder, 'out')
      const { code, errors } = await start('export', url, '--out', out).ended
      assert.equal(code, 0, errors)
      const exported = await readFile(join(out, 'item.ndjson'))
      assert.ok(exported.equals(await readFile(path)), 'the export is the file')
    },
  }
}

type Ended = {
  /** Null where a signal ended it. */
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

async function ended(child: ChildProcess): Promise<Ended> {
  let [output, errors] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text) => (output += text))
  child.stderr?.setEncoding('utf8').on('data', (text) => (errors += text))
  const [code] = await once(child, 'close')
  return { code, output, errors }
}
