// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check'
import { encodePrimaryKey } from '../../storage/tables/bytes/key-encoding.ts'
import { encodeLock } from '../../storage/transactions/records/lock.ts'
import { encodeWriteRecord } from '../../storage/transactions/records/write-record.ts'
import { arbitraryValue } from '../storage/arbitrary-values.ts'
import { encodeRow } from '../storage/encoded-row.ts'
import { STORED_TABLES } from './check-input.ts'
import { hexOf, type RequestInput, type SocketInput, type StoredInput } from './fuzz-input.ts'

const EDGE_BYTES = [0x00, 0x0a, 0x0d, 0x20, 0x22, 0x25, 0x5c, 0x7f, 0x80, 0xc0, 0xed, 0xff]

/** The bytes with some of them taken out, repeated or replaced, in up to four places. */
function damaged(bytes: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  const byte = fc.oneof(fc.constantFrom(...EDGE_BYTES), fc.nat({ max: 255 }))
  const wound = fc.record({
    at: fc.nat(),
    removed: fc.nat({ max: 4 }),
    put: fc.array(byte, { maxLength: 4 }),
  })
  return fc.tuple(bytes, fc.array(wound, { maxLength: 4 })).map(([whole, wounds]) => {
    let damagedBytes = Buffer.from(whole)
    for (const { at, removed, put } of wounds) {
      const position = at % (damagedBytes.length + 1)
      const after = damagedBytes.subarray(position + removed)
      damagedBytes = Buffer.concat([damagedBytes.subarray(0, position), Buffer.from(put), after])
    }
    return damagedBytes
  })
}

const texts = (...all: string[]) => fc.constantFrom(...all).map((text) => Buffer.from(text))

const BODIES = texts(
  '{"sql": "SCAN * FROM account WHERE id >= :id", "params": {"id": "a"}, "pageSize": 1}',
  '{"statements": [{"sql": "GET * FROM account WHERE id = $1", "params": ["bob"]}], "integers": "string"}',
  '{"sql": "SCAN * FROM account", "cursor": "1.1793000000000000.AQ.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}',
  '{"sql": "SHOW TABLES", "transaction": "1793000000000000.8f14e45fceea167a5a36dedd4bea2543"}',
  '{"readOnly": true, "asOf": 1793000000000000}',
  '{"asOf": "2026-10-25T12:00:00Z"}',
  "SET balance = balance + 1 ON account WHERE id = 'bob'",
  '{"sql": "\\u0000\\ud800\\udc00"}',
)
const CONTENT_TYPES = [
  'application/json',
  'text/plain',
  'application/sql',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
]
const BODY_PATHS = [
  '/v1/query',
  '/v1/transactions',
  '/v1/transactions/1.00000000000000000000000000000000/query',
]

/** Bodies that are nearly right, byte by byte, and bodies that never were. */
export const bodies: fc.Arbitrary<RequestInput> = fc.record({
  kind: fc.constant('request' as const),
  path: fc.constantFrom(...BODY_PATHS),
  contentType: fc.oneof(fc.constantFrom(...CONTENT_TYPES), fc.constant('application/json')),
  body: fc
    .oneof(
      { weight: 4, arbitrary: damaged(BODIES) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
      { weight: 1, arbitrary: fc.json({ maxDepth: 3 }).map((text) => Buffer.from(text)) },
    )
    .map(hexOf),
})

const escaped = fc
  .uint8Array({ maxLength: 8 })
  .map((bytes) => [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''))
const pathPart = fc.oneof(
  escaped,
  fc.constantFrom(
    'bob',
    'account',
    'every',
    'moment',
    '..',
    '.',
    '%',
    '%2',
    '%zz',
    '%2f',
    '%00',
    '',
  ),
  fc.constantFrom(
    'a,1',
    'a,-9223372036854775808',
    '~',
    '~2',
    '~1,~0',
    'a,',
    ',',
    'a,9e99',
    'a,0x1',
  ),
  fc.constantFrom(
    '2026-01-31T12:00:00Z,AA,true,1e308',
    '0001-01-01,,false,-0',
    '2026-01-31,_-8,true,1e999',
  ),
  fc.constantFrom(
    '1.00000000000000000000000000000000',
    '9007199254740991.ffffffffffffffffffffffffffffffff',
  ),
  fc.webPath({ size: 'small' }).map((path) => path.slice(1)),
)
const path = fc.oneof(
  fc
    .tuple(fc.constantFrom('account', 'every', 'moment'), pathPart)
    .map(([table, key]) => `/v1/tables/${table}/cells/${key}`),
  pathPart.map((part) => `/v1/tables/${part}`),
  fc
    .tuple(pathPart, fc.constantFrom('', '/commit', '/query'))
    .map(([id, tail]) => `/v1/transactions/${id}${tail}`),
  fc.array(pathPart, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
  fc.webQueryParameters().map((query) => `/v1/locks?${query}`),
  fc.constantFrom(
    '/v1/locks?limit=1&limit=2',
    '/v1/locks?limit=1e9',
    '/v1/locks?__proto__=1',
    '*',
    'http://localhost/',
    '/docs/../../package.json',
  ),
)
const fieldValue = fc.oneof(
  fc.constantFrom(
    'localhost',
    'localhost:80',
    '[::1]',
    'evil.example',
    '',
    'null',
    'http://localhost',
    'gzip',
    'chunked',
    'close',
  ),
  fc.constantFrom(
    '0',
    '5',
    '-1',
    '1e3',
    '99999999999999999999',
    'application/json',
    'application/json;;',
    'bytes=0-',
    '*/*',
  ),
  fc.string({ unit: 'binary-ascii', maxLength: 10 }),
  fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
)
const FIELDS = [
  'Host',
  'Origin',
  'Content-Type',
  'Content-Length',
  'Transfer-Encoding',
  'Content-Encoding',
  'Accept',
  'Accept-Encoding',
  'Connection',
  'Expect',
  'Upgrade',
  'Range',
  'If-None-Match',
  'X',
  '__proto__',
  'Referer',
  'Sec-Fetch-Site',
]
const fields = fc.array(fc.tuple(fc.constantFrom(...FIELDS), fieldValue), { maxLength: 4 })

const request = fc
  .record({
    method: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'HEAD', 'OPTIONS') },
      fc.constantFrom('PATCH', 'TRACE', 'CONNECT', 'QUERY', 'get', 'X'),
    ),
    path,
    fields,
    body: fc.oneof(
      fc.constant(''),
      fc.constantFrom('{"sql": "SHOW TABLES"}', 'BEGIN', '0\r\n\r\n', '\u0000'),
    ),
  })
  .map(({ method, path: at, fields: given, body }) => {
    const lines = [
      `${method} ${at} HTTP/1.1`,
      ...(given.some(([name]) => name === 'Host') ? [] : ['Host: localhost']),
      ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
      ...given.map(([name, value]) => `${name}: ${value}`),
    ]
    return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1')
  })

/** Whole requests on a bare socket: paths, header fields, and bytes out of place. */
export const requests: fc.Arbitrary<SocketInput> = fc.record({
  kind: fc.constant('socket' as const),
  bytes: fc
    .oneof({ weight: 4, arbitrary: request }, { weight: 1, arbitrary: damaged(request) })
    .map(textOrHex),
})

/** Requests read better as text, where that says the same. */
function textOrHex(bytes: Uint8Array) {
  const text = Buffer.from(bytes).toString()
  return Buffer.from(text).equals(bytes) ? text : hexOf(bytes)
}

const smallBytes = fc.uint8Array({ maxLength: 20 })
const content = fc.oneof(
  fc.record({ kind: fc.constant('inline' as const), value: smallBytes }),
  fc.record({ kind: fc.constant('data' as const), byteLength: fc.nat() }),
  fc.record({ kind: fc.constant('delete' as const) }),
)
const storedTable = fc.constantFrom(...STORED_TABLES)
const RIGHT_RECORDS: Readonly<Record<StoredInput['record'], fc.Arbitrary<Uint8Array>>> = {
  key: storedTable.chain((table) =>
    arbitraryValue(table.columns[0]?.type ?? 'TEXT').map((value) =>
      encodePrimaryKey(table, [value]),
    ),
  ),
  row: fc
    .tuple(...(STORED_TABLES[0]?.columns ?? []).map(({ type }) => arbitraryValue(type)))
    .map((row) => encodeRow(STORED_TABLES[0] as (typeof STORED_TABLES)[number], row).value),
  lock: fc
    .record({
      wallMicros: fc.maxSafeNat(),
      row: smallBytes,
      column: fc.string({ maxLength: 3 }),
      content: fc.oneof(content, fc.record({ kind: fc.constant('guard' as const) })),
    })
    .map(({ row, column, ...others }) =>
      encodeLock({ ...others, startTs: 1, incarnation: 'ab'.repeat(16), primary: { row, column } }),
    ),
  write: fc.record({ startTs: fc.maxSafeNat(), content }).map(encodeWriteRecord),
}

/** Keys, rows, locks and write records, damaged or not. */
export const storedRecords: fc.Arbitrary<StoredInput> = fc
  .constantFrom(...(Object.keys(RIGHT_RECORDS) as Array<StoredInput['record']>))
  .chain((record) =>
    fc.record({
      kind: fc.constant('stored' as const),
      record: fc.constant(record),
      bytes: fc
        .oneof({ weight: 5, arbitrary: damaged(RIGHT_RECORDS[record]) }, smallBytes)
        .map(hexOf),
    }),
  )
