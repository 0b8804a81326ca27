// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type TestContext, test } from 'node:test'
import { startCommand, THIS_TREE } from '../bench/servers/percolite-server.ts'
import { ServerProcess } from './server/server-process.ts'
import { testFolder } from './test-folder.ts'

/** `npm run test:long` runs this with a million rows. */
const ROWS = Number(process.env.MEMORY_ROWS ?? 20_000)
/** 300 MB, of 10 ** 6 bytes; figures are in MiB, of 2 ** 20 bytes. */
const COMMAND_MIB_MAX = 286
/** docs/performance.md says what it is made of, and why it is more than that of a command. */
const SERVER_MIB_MAX = 400
/** Garbage that was not collected yet; what grows with the rows is more than that at 20,000 of them. */
const GROWTH_MIB_MAX = 130

type Ended = { readonly peakMiB: number; readonly output: string }

/** Runs `percolite …` as a process of its own, and resolves to the most memory that it had. */
async function percolite(t: TestContext, ...args: readonly string[]): Promise<Ended> {
  const { nodeFlags, main } = startCommand(THIS_TREE)
  const child = spawn(process.execPath, [...nodeFlags, main, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
  let peakMiB = 0
  const timer = setInterval(() => {
    peakMiB = Math.max(peakMiB, residentMiB(child))
  }, 20)
  const [code] = await once(child, 'close')
  clearInterval(timer)
  assert.equal(code, 0, args.join(' '))
  return { peakMiB, output }
}

function residentMiB({ pid }: ChildProcess): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/**
 * A server as `npm start` runs it, with compiled code from its cache: to compile TypeScript takes 30 MiB more, which
 * are kept. It is in the cache once a server has ended.
 */
async function serverOf(folder: string): Promise<ServerProcess> {
  const env = { NODE_COMPILE_CACHE: join(folder, 'compiled') }
  const first = await ServerProcess.start(join(folder, 'data'), [], { env })
  assert.equal(await first.stop(), 0)
  return await ServerProcess.start(join(folder, 'data'), [], { env })
}

/** Rows of 200 bytes. */
function* lines(rows: number) {
  const body = 'x'.repeat(180)
  for (let id = 0; id < rows; id += 1) yield `{"id":${id},"body":"${body}"}\n`
}

test(`an import and an export of ${ROWS} rows of 200 bytes take no more memory than one of 100`, async (t) => {
  const folder = await testFolder(t, 'transfer-memory')
  const server = await serverOf(folder)
  try {
    for (const table of ['few', 'many']) {
      const sql = `CREATE TABLE ${table} (id INTEGER PRIMARY KEY, body TEXT NOT NULL)`
      await fetch(`${server.url}/v1/query`, {
        method: 'POST',
        body: JSON.stringify({ sql }),
        headers: { 'content-type': 'application/json' },
      })
    }
    const peaks: Record<string, number> = {}
    for (const [table, rows] of [
      ['few', 100],
      ['many', ROWS],
    ] as const) {
      const file = join(folder, `${table}.ndjson`)
      await pipeline(Readable.from(lines(rows)), createWriteStream(file))
      const taken = await percolite(t, 'import', server.url, file, '--table', table, '--json')
      assert.equal(JSON.parse(taken.output).written, rows)
      const out = join(folder, `${table}-out`)
      const made = await percolite(
        t,
        'export',
        server.url,
        '--table',
        table,
        '--out',
        out,
        '--json',
      )
      assert.equal(JSON.parse(made.output).rows, rows)
      assert.equal((await stat(join(out, `${table}.ndjson`))).size, (await stat(file)).size)
      peaks[`import ${table}`] = taken.peakMiB
      peaks[`export ${table}`] = made.peakMiB
      const seconds = [taken, made].map(({ output }) => JSON.parse(output).seconds)
      t.diagnostic(`${rows} rows: import ${seconds[0]} s, export ${seconds[1]} s`)
    }
    const peakOfServer = server.peakMiB() ?? 0
    for (const [what, mib] of Object.entries({ ...peaks, server: peakOfServer })) {
      t.diagnostic(`${what}: at most ${mib.toFixed(0)} MiB (${(mib * 1.048576).toFixed(0)} MB)`)
    }
    for (const command of ['import', 'export']) {
      const [few = 0, many = 0] = [peaks[`${command} few`], peaks[`${command} many`]]
      if (few === 0) return t.skip('this system does not tell a process’ memory')
      assert.ok(many < COMMAND_MIB_MAX, `${command}: ${many} MiB`)
      assert.ok(many - few < GROWTH_MIB_MAX, `${command}: ${few} MiB, then ${many} MiB`)
    }
    assert.ok(peakOfServer < SERVER_MIB_MAX, `server: ${peakOfServer} MiB`)
  } finally {
    await server.killNine()
  }
})
