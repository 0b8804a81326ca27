// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { startTestServer } from '../../../test/server/test-server.ts'

const MICROS_MAX = 253_402_300_799_999_999n

/** Values of each type in the form in which they are answered. */
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  TEXT: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(
      '',
      '.',
      '..',
      '~',
      ',',
      '/',
      '%',
      '%2F',
      'a/../b',
      '~1,~0',
      '?#',
      ' ',
      '+',
      '"\'',
    ),
  ),
  INTEGER: fc
    .oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -9n, max: 9n }))
    .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value.toString())),
  REAL: fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value) => (value === 0 ? 0 : value)),
  BOOLEAN: fc.boolean(),
  BYTES: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  TIMESTAMP: fc.bigInt({ min: 0n, max: MICROS_MAX }).map((micros) => {
    const text = new Date(Number(micros / 1000n)).toISOString()
    return text.replace('Z', `${(micros % 1000n).toString().padStart(3, '0')}Z`)
  }),
  // By way of its text, which has no −0.
  JSON: fc
    .jsonValue({ noUnicodeString: false })
    .map((value) => JSON.parse(JSON.stringify(value)))
    .filter((value) => value !== null),
}

const KEY_TYPES = ['TEXT', 'INTEGER', 'REAL', 'BOOLEAN', 'BYTES', 'TIMESTAMP']
const TYPES = Object.keys(VALUES)

/** The component of a key as a client writes it into a path. */
function pathComponent(type: string, value: unknown): string {
  if (type === 'BYTES' && value !== '') {
    return Buffer.from(String(value), 'base64').toString('base64url')
  }
  const text = String(value)
  if (text === '') return '~3'
  const escaped = text.replaceAll('~', '~0').replaceAll(',', '~1')
  return encodeURIComponent(/^\.+$/.test(escaped) ? escaped.replaceAll('.', '~2') : escaped)
}

test('a value of any type goes in and comes out the same, by statement and as a row', async (t) => {
  const server = await startTestServer(t)
  const columns = TYPES.map((type) => `v${type} ${type}`).join(', ')
  await server.query(`CREATE TABLE value (id INTEGER PRIMARY KEY, ${columns})`)
  const row = fc.record(
    Object.fromEntries(
      TYPES.map((type) => [`v${type}`, fc.option(VALUES[type] as fc.Arbitrary<unknown>)]),
    ),
  )
  let id = 0
  await fc.assert(
    fc.asyncProperty(row, fc.boolean(), async (values, asRow) => {
      id += 1
      const whole = { id, ...values }
      const names = Object.keys(whole)
      const wrote = asRow
        ? await server.send({ method: 'PUT', path: `/v1/tables/value/rows/${id}`, json: values })
        : await server.query(
            `INSERT INTO value (${names}) VALUES (${names.map((name) => `:${name}`)}) RETURNING *`,
            { params: whole },
          )
      assert.ok(wrote.status < 300, wrote.text)
      assert.deepEqual(asRow ? wrote.body : wrote.body.results[0].rows[0], whole)
      assert.deepEqual((await server.get(`/v1/tables/value/rows/${id}`)).body, whole)
      assert.deepEqual(
        await server.rows('GET * FROM value WHERE id = :id', { params: { id: whole.id } }),
        [whole],
      )
      const exact = await server.get(`/v1/tables/value/rows/${id}?integers=string&columns=vINTEGER`)
      const integer = values.vINTEGER === null ? null : String(values.vINTEGER)
      assert.deepEqual(exact.body, { vINTEGER: integer })
    }),
    { numRuns: 150 },
  )
})

test('a key of any types names its row in a path and in a Location', async (t) => {
  const server = await startTestServer(t)
  const pairs = KEY_TYPES.flatMap((first) => KEY_TYPES.map((second) => [first, second] as const))
  for (const [first, second] of pairs) {
    const name = `k${first}${second}`
    await server.query(`CREATE TABLE ${name} (x ${first}, y ${second} , PRIMARY KEY (x, y DESC))`)
  }
  for (const type of KEY_TYPES) await server.query(`CREATE TABLE k${type} (x ${type} PRIMARY KEY)`)
  const keyed = fc.oneof(
    fc.constantFrom(...KEY_TYPES).chain((type) =>
      fc.record({
        types: fc.constant([type]),
        row: fc.record({ x: VALUES[type] as fc.Arbitrary<unknown> }),
      }),
    ),
    fc.constantFrom(...pairs).chain(([x, y]) =>
      fc.record({
        types: fc.constant([x, y]),
        row: fc.record({
          x: VALUES[x] as fc.Arbitrary<unknown>,
          y: VALUES[y] as fc.Arbitrary<unknown>,
        }),
      }),
    ),
  )
  await fc.assert(
    fc.asyncProperty(keyed, async ({ types, row: drawn }) => {
      const row = { ...drawn }
      const path = `/v1/tables/k${types.join('')}/rows`
      const key = Object.values(row).map((value, index) => pathComponent(types[index] ?? '', value))
      const place = `${path}/${key.join(',')}`
      const { status, text, headers } = await server.post(path, row)
      assert.equal(status, 201, text)
      assert.equal(headers.location, place)
      assert.deepEqual((await server.get(place)).body, row)
      const gone = await server.send({ method: 'DELETE', path: place })
      assert.equal(gone.status, 204, gone.text)
    }),
    { numRuns: 300 },
  )
})
