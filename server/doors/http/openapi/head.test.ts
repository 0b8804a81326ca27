// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { request } from 'node:http'
import test, { after, before } from 'node:test'
import { makeBackup, startBackupServer } from '../../../../test/backup/backup-server.ts'
import type { TestServer } from '../../../../test/server/test-server.ts'
import { loadContract } from './contract.ts'

// HEAD of every operation that has GET: the same head, and no body (RFC 9110 9.3.2).

const { document } = loadContract()
const atTheEnd: Array<() => unknown> = []
let server: TestServer
let port: number
let transaction: string

before(async () => {
  server = await startBackupServer({ after: (step) => atTheEnd.unshift(step) })
  port = (await server.listen()).port
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL)')
  await server.rows("INSERT INTO account (id, balance) VALUES ('bob', 10)")
  transaction = await server.begin()
  await makeBackup(server, 'monday')
})

after(async () => {
  for (const step of atTheEnd) await step()
})

type Head = { readonly status: number | undefined; readonly headers: Record<string, unknown> }

/** The head of the answer by a real connection, and how much of its body comes with it. */
function headOf(method: 'GET' | 'HEAD', path: string): Promise<Head & { readonly bytes: number }> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, path, method, agent: false }, (answer) => {
      let bytes = 0
      const done = () => {
        asked.destroy()
        resolve({ status: answer.statusCode, headers: answer.headers, bytes })
      }
      answer.on('error', () => undefined)
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        // A subscription does not end.
        done()
      })
      answer.on('end', done)
    })
    asked.on('error', reject)
    asked.end()
  })
}

/** Framing of a body is that of an answer that has one; lengths and stamps differ with time. */
const OF_THE_MOMENT = ['date', 'content-length', 'percolite-read-timestamp']

function comparable({ status, headers }: Head) {
  const { 'transfer-encoding': _, ...others } = headers
  const entries = Object.entries(others).map(([name, value]) =>
    OF_THE_MOMENT.includes(name) ? [name, 'any'] : [name, value],
  )
  return { status, headers: Object.fromEntries(entries) }
}

const WITH_SEARCH: Readonly<Record<string, readonly string[]>> = {
  getChanges: ['?sql=SCAN+*+FROM+account', '?sql=SCAN+*+FROM+account&snapshot=true', '?sql=GET'],
  listRows: ['', '?format=csv', '?format=ndjson', '?limit=0'],
  getRow: ['', '?columns=balance', '?columns=nosuch'],
}

for (const { id, method, path } of document.operations) {
  if (method !== 'get') continue
  for (const search of WITH_SEARCH[id] ?? ['', '?zzz=1']) {
    test(`HEAD of ${id} ${search} has the head of GET`, async () => {
      const filled = path
        .replace('{table}', 'account')
        .replace('{key}', 'bob')
        .replace('{name}', 'monday')
        .replace('{transaction}', transaction)
      const got = await headOf('GET', filled + search)
      const head = await headOf('HEAD', filled + search)
      assert.deepEqual(comparable(head), comparable(got))
      assert.ok(got.bytes > 0)
      assert.equal(head.bytes, 0)
      assert.notEqual(head.headers['content-length'], '0')
    })
  }
}
