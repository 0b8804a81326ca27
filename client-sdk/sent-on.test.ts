// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from './client.ts'

const HERE = 'http://127.0.0.1:1'
const THERE = 'http://127.0.0.1:2'

type Call = { readonly origin: string; readonly path: string }

/** A client whose requests are answered by `answer`, and the requests that it sent. */
function scripted(answer: (call: Call) => Response, url = HERE) {
  const calls: Call[] = []
  const fetch = async (target: string | URL | Request) => {
    const { origin, pathname } = new URL(String(target))
    const call = { origin, path: pathname }
    calls.push(call)
    return answer(call)
  }
  const db = connect({ url, fetch: fetch as typeof globalThis.fetch })
  return { db, origins: () => calls.map(({ origin }) => origin) }
}

function problem(code: string, fields: object): Response {
  const body = { type: 'about:blank', title: code, status: 421, detail: code, code, ...fields }
  const headers = { 'content-type': 'application/problem+json' }
  return new Response(JSON.stringify({ retryable: false, ...body }), { status: 421, headers })
}

const OPENED = { transaction: '1.a', readTimestamp: 1 }
const ANSWER = { results: [{ columns: [], rows: [] }], readTimestamp: 1 }
const answered = () => new Response(JSON.stringify(ANSWER), { status: 200 })

test('when the database has moved, a request is sent again there, and all later ones go there', async () => {
  const { db, origins } = scripted(({ origin }) =>
    origin === HERE ? problem('moved', { url: THERE }) : answered(),
  )
  await db.query('SHOW TABLES')
  await db.query('SHOW TABLES')
  assert.deepEqual(origins(), [HERE, THERE, THERE])
})

test('a request for a transaction that another server has open is sent there, and later ones are not', async () => {
  let wrong = 1
  const { db, origins } = scripted(() => {
    wrong -= 1
    return wrong === 0 ? problem('wrong_gateway', { url: THERE }) : answered()
  })
  await db.query('SHOW TABLES')
  await db.query('SHOW TABLES')
  assert.deepEqual(origins(), [HERE, THERE, HERE])
})

test('a client is sent on once, and not from https to http, nor to nowhere', async () => {
  const circle = scripted(({ origin }) =>
    problem('wrong_gateway', { url: origin === HERE ? THERE : HERE }),
  )
  await assert.rejects(circle.db.query('SHOW TABLES'), { code: 'wrong_gateway' })
  assert.deepEqual(circle.origins(), [HERE, THERE])
  for (const url of [THERE, '', 'javascript:1']) {
    const secure = scripted(() => problem('moved', { url }), 'https://127.0.0.1:1')
    await assert.rejects(secure.db.query('SHOW TABLES'), { code: 'moved' })
    assert.equal(secure.origins().length, 1)
  }
})

test('a request without an answer is not sent twice', async () => {
  const { db, origins } = scripted(() => {
    throw new TypeError('fetch failed')
  })
  await assert.rejects(db.query('SHOW TABLES'), { code: 'connection_failed' })
  assert.deepEqual(origins(), [HERE])
})

test('a transaction goes to its owner at once when that is known, and says what is wrong where it may not', async () => {
  const behind = (here: string, there: string) =>
    scripted(({ origin, path }) => {
      if (path === '/v1/transactions') return new Response(JSON.stringify(OPENED))
      return origin === here ? problem('wrong_gateway', { url: there }) : answered()
    }, here)
  const { db, origins } = behind(HERE, THERE)
  const tx = await db.begin()
  for (let count = 0; count < 3; count += 1) await tx.query('GET …')
  assert.deepEqual(origins(), [HERE, HERE, THERE, THERE, THERE])
  const secure = behind('https://127.0.0.1:1', THERE)
  const ended = secure.db.transaction((one) => one.query('GET …'))
  await assert.rejects(ended, { code: 'wrong_gateway', retryable: false, message: /--advertise/ })
  assert.equal(secure.origins().length, 3, 'BEGIN, the statement and ROLLBACK, once')
})

test('a transaction whose servers do not reach each other for a moment is run again', async () => {
  let tries = 0
  const { db, origins } = scripted(({ path }) => {
    if (path === '/v1/transactions') return new Response(JSON.stringify(OPENED))
    if (path.endsWith('/commit')) return new Response(JSON.stringify({ commitTimestamp: 1 }))
    tries += 1
    const reason = 'ECONNREFUSED'
    return tries === 1
      ? problem('wrong_gateway', { url: THERE, reason, retryable: true })
      : answered()
  }, 'https://127.0.0.1:1')
  await db.transaction((tx) => tx.query('GET …'))
  assert.equal(origins().length, 6, 'BEGIN, the statement, ROLLBACK, and all three')
})
