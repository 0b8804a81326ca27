// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { makeBackup, startBackupServer } from '../../../../test/backup/backup-server.ts'
import {
  type Sending,
  startTestServer,
  type TestServer,
} from '../../../../test/server/test-server.ts'
import { loadContract } from './contract.ts'
import { type JsonObject, type Operation, objectAt, resolvePointer } from './document.ts'
import { SchemaValidator } from './validator.ts'

const { document } = loadContract()

/** Texts that mean something to the server, so that not every request fails at the first check. */
const STATEMENTS = [
  'SHOW TABLES',
  'SCAN * FROM account',
  "GET * FROM account WHERE id = 'bob'",
  "SET balance = 1 ON account WHERE id = 'bob'",
  "BEGIN; SET balance = 2 ON account WHERE id = 'bob'; COMMIT",
  'BEGIN',
  'COMMIT',
  'CREATE TABLE IF NOT EXISTS t (id TEXT PRIMARY KEY)',
  'GET FROM',
]

/** What the operations that need a body are reached with. */
const BODIES: Readonly<Record<string, unknown>> = {
  createBackup: { name: 'other', check: false },
  // Nobody listens there, so that it fails later.
  beginMove: { to: 'etcd:127.0.0.1:1' },
  getCompletions: { sql: 'SCAN ' },
  impersonate: { role: 'nobody' },
  query: { sql: 'SHOW TABLES' },
  runScript: { sql: 'SHOW TABLES' },
  describeStatement: { sql: 'SHOW TABLES' },
  queryInTransaction: { sql: 'SHOW TABLES' },
  insertRows: { id: 'bob', balance: 1 },
  putRow: { balance: 2 },
  patchRow: { balance: 3 },
}

/** What stands behind the paths of those that ask for parameters. */
const SEARCHES: Readonly<Record<string, string>> = {
  getChanges: '?sql=SCAN+*+FROM+account',
  getCellsOfRows: '?key=bob&key=joe',
}

/** What only a standby does, or a primary that has one; see `test/standby`. */
const OF_TWO_SERVERS = ['promoteServer', 'supersedeServer']
/** What only a server does that asks for tokens; see `server/guard/access`. */
const OF_TOKENS = ['impersonate']

/** Its answer does not end, so only its head is asked for. */
const ENDLESS = 'getChanges'

function methodOf({ id, method }: Operation): NonNullable<Sending['method']> {
  return id === ENDLESS ? 'HEAD' : (method.toUpperCase() as NonNullable<Sending['method']>)
}

/** Values of a schema of the document: what is declared is what is sent. */
function arbitraryOf(pointer: string): fc.Arbitrary<unknown> {
  const at = resolvePointer(document.json, pointer)
  const schema = objectAt(document.json, at)
  if (at.endsWith('/StatementText')) return fc.constantFrom(...STATEMENTS)
  if (at.endsWith('/PageSize')) return fc.integer({ min: 1, max: 10_000 })
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]))
  if (Array.isArray(schema.oneOf)) {
    return fc.oneof(...schema.oneOf.map((_, index) => arbitraryOf(`${at}/oneOf/${index}`)))
  }
  const types = [schema.type ?? ['null', 'string']].flat() as string[]
  return fc.oneof(...types.map((type) => arbitraryOfType(type, at, schema)))
}

function arbitraryOfType(type: string, at: string, schema: JsonObject): fc.Arbitrary<unknown> {
  const { minimum: min = 0, maximum: max = 1_000 } = schema as {
    minimum?: number
    maximum?: number
  }
  switch (type) {
    case 'string':
      return fc.string()
    case 'integer':
      return fc.integer({ min: Math.max(min, -(2 ** 31)), max: Math.min(max, 2 ** 31 - 1) })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return Object.keys((schema.items ?? {}) as JsonObject).length === 0
        ? fc.array(fc.jsonValue(), { maxLength: 3 })
        : fc.array(arbitraryOf(`${at}/items`), { minLength: 1, maxLength: 3 })
    default:
      return objectOf(at, schema)
  }
}

function objectOf(at: string, schema: JsonObject): fc.Arbitrary<unknown> {
  const names = Object.keys((schema.properties ?? {}) as JsonObject)
  if (names.length === 0) return fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 })
  const fields = Object.fromEntries(
    names.map((name) => [name, arbitraryOf(`${at}/properties/${name}`)]),
  )
  return fc.record(fields, { requiredKeys: (schema.required ?? []) as string[] })
}

/** Requests of one operation: as declared, or with one thing wrong. */
function sendingOf(operation: Operation): fc.Arbitrary<Sending> {
  const method = methodOf(operation)
  const parameters = operation.parameters.map(({ name, in: place, schema }) =>
    fc
      .oneof(arbitraryOf(schema), fc.constantFrom('account', 'bob', 'nothing'), fc.string())
      // A part of a path that is only dots leads to another path.
      .filter((value) => !/^\.{1,2}$/.test(String(value)))
      .map((value) => ({ name, place, value: encodeURIComponent(String(value).toWellFormed()) })),
  )
  const path = fc.tuple(fc.tuple(...parameters), fc.boolean()).map(([given, unknown]) => {
    let filled = operation.path
    const search: string[] = unknown ? ['unknown=1'] : []
    for (const { name, place, value } of given) {
      if (place === 'path') filled = filled.replace(`{${name}}`, value)
      else search.push(`${name}=${value}`)
    }
    return search.length === 0 ? filled : `${filled}?${search.join('&')}`
  })
  return fc.tuple(path, bodyOf(operation)).map(([at, body]) => ({ method, path: at, ...body }))
}

function bodyOf(operation: Operation): fc.Arbitrary<Pick<Sending, 'text' | 'headers'>> {
  const declared = [...(operation.body?.schemas ?? [])].map(([mediaType, schema]) =>
    fc.oneof({ weight: 4, arbitrary: arbitraryOf(schema) }, fc.jsonValue()).map((value) => ({
      text:
        mediaType !== 'application/json' && typeof value === 'string'
          ? value
          : JSON.stringify(value),
      headers: { 'content-type': mediaType },
    })),
  )
  const none = fc.constant({})
  if (operation.body === undefined) return none
  const broken = fc.record({
    text: fc.string(),
    headers: fc
      .constantFrom('application/json', 'text/plain', 'x/y')
      .map((type) => ({ 'content-type': type })),
  })
  return fc.oneof(none, broken, ...declared.map((arbitrary) => ({ weight: 5, arbitrary })))
}

test('every operation of /v1 takes the header that the client sends with each request', () => {
  const without = document.operations.filter(
    ({ path, parameters }) =>
      path.startsWith('/v1/') && !parameters.some(({ name }) => name === 'Percolite-History'),
  )
  assert.deepEqual(
    without.map(({ id }) => id),
    [],
  )
})

test('whatever is asked of whichever operation, its answer is declared and no fault of the server', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  for (const operation of document.operations) {
    await t.test(operation.id, async () => {
      await fc.assert(
        fc.asyncProperty(sendingOf(operation), async (sending) => {
          const { status, text } = await server.send(sending)
          assert.ok(operation.answers.has(status), `${status} is not declared: ${text}`)
          assert.notEqual(status, 500, text)
        }),
        { numRuns: operation.body === undefined ? 40 : 120 },
      )
    })
  }
})

/** The id of something that runs for a while. */
/** Of the last group: it has an answer at once if nothing is waited for. */
async function positionOf(server: TestServer): Promise<unknown> {
  const { body } = await server.send({ path: '/v1/replication' })
  const { position } = body as { position: object }
  return { ...position, waitMs: 0 }
}

async function runningId(server: TestServer): Promise<string> {
  const scan = { sql: 'SCAN count(*) FROM account USE PRIMARY KEY' }
  void server.post('/v1/query', { statements: Array.from({ length: 1_000 }, () => scan) })
  for (let tries = 0; tries < 1_000; tries += 1) {
    await setImmediate()
    const [running] = (await server.get('/v1/running')).body.running
    if (running !== undefined) return running.id
  }
  return assert.fail('nothing runs')
}

test('every operation is reached with its first declared status', async (t) => {
  const server = await startBackupServer(t, { 'allow-move': 'true' })
  for (const name of ['kept', 'removed']) await makeBackup(server, name)
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER, photo BYTES)')
  await server.rows("INSERT INTO account (id) VALUES ('joe')")
  await server.query('CREATE UNIQUE INDEX byBalance ON account (balance)')
  await server.query('CREATE OBSERVER audited ON account (balance)')
  const transaction = await server.begin()
  const seen = new Set<string>()
  // What answers a handshake is no request of this kind, and a commit is killed only where it is slow
  // (`server/live/cells`).
  const others = ['openSocket', 'killCommit']
  const operations = document.operations.filter(({ id }) => !others.includes(id))
  for (const operation of operations) {
    const { id, path } = operation
    const filled = path
      .replace('{table}', 'account')
      .replace('{index}', 'byBalance')
      .replace('{observer}', 'audited')
      .replace('{key}/{column}', 'joe/photo')
      .replace('{key}', id === 'getCellsOfEntry' ? '1' : 'bob')
      .replace('{name}', id === 'deleteBackup' ? 'removed' : 'kept')
      .replace('{id}', id === 'cancelRunning' ? await runningId(server) : '')
      .replace('{transaction}', id === 'rollBackTransaction' ? await server.begin() : transaction)
    const body = id === 'readGroups' ? await positionOf(server) : BODIES[id]
    const { status } = await server.send({
      method: methodOf(operation),
      path: `${filled}${SEARCHES[id] ?? ''}`,
      ...(body === undefined ? {} : { json: body }),
      ...(id === 'putBytes' && {
        text: 'bytes',
        headers: { 'content-type': 'application/octet-stream' },
      }),
    })
    if (status < 300 || [...OF_TWO_SERVERS, ...OF_TOKENS].includes(id)) seen.add(id)
  }
  assert.deepEqual(
    [...seen],
    operations.map(({ id }) => id),
  )
})

test('every schema of an answer can be compiled, which a server does not try', () => {
  const validator = new SchemaValidator(document.json)
  for (const { answers } of document.operations) {
    for (const content of answers.values()) {
      for (const schema of content.values()) validator.prepare(schema)
    }
  }
})

test('each operation that takes a timestamp or the id of a transaction declares that its history is gone', () => {
  const STAMPED = new Set(['transaction', 'asOf', 'since', 'cursor', 'Percolite-Min-Timestamp'])
  // A time of the server's own clock, and a name in a folder.
  const OF_NO_HISTORY = new Set(['getActivity', 'listBackups'])
  const undeclared = document.operations
    .filter(({ id }) => !OF_NO_HISTORY.has(id))
    .filter(({ parameters }) => parameters.some(({ name }) => STAMPED.has(name)))
    .filter(({ answers }) => !answers.has(410))
  assert.deepEqual(
    undeclared.map(({ id }) => id),
    [],
  )
})
