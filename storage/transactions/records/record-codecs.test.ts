// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { decodeLock, encodeLock, type Lock } from './lock.ts'
import { decodeWriteRecord, encodeStartTs, encodeWriteRecord } from './write-record.ts'

const bytes = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((value) => Uint8Array.from(value))
const timestamp = fc.maxSafeNat()
const content = fc.oneof(
  fc.record({ kind: fc.constant('inline' as const), value: bytes(255) }),
  fc.record({ kind: fc.constant('data' as const), byteLength: fc.nat(8 * 1024 * 1024) }),
  fc.record({ kind: fc.constant('delete' as const) }),
)
const lock = fc.record({
  startTs: timestamp,
  wallMicros: timestamp,
  incarnation: fc
    .uint8Array({ minLength: 16, maxLength: 16 })
    .map((id) => Buffer.from(id).toString('hex')),
  primary: fc.record({ row: bytes(4096), column: fc.string({ maxLength: 60 }) }),
  content: fc.oneof(content, fc.record({ kind: fc.constant('guard' as const) })),
})

/** Buffers and byte arrays compare by their bytes. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, part) =>
      part instanceof Uint8Array || part?.type === 'Buffer'
        ? Buffer.from(part.data ?? part).toString('hex')
        : part,
    ),
  )
}

describe('the codecs of locks and write records', () => {
  test('a write record comes back as it went, with empty and with 255-byte values', () => {
    fc.assert(
      fc.property(timestamp, content, (startTs, content) => {
        const record = { startTs, content }
        assert.deepEqual(plain(decodeWriteRecord(encodeWriteRecord(record))), plain(record))
      }),
      { numRuns: 1_000 },
    )
  })

  test('a lock comes back as it went, with empty rows and columns and 00 and FF inside', () => {
    fc.assert(
      fc.property(lock, (lock) => {
        assert.deepEqual(plain(decodeLock(lock.startTs, encodeLock(lock))), plain(lock))
      }),
      { numRuns: 1_000 },
    )
  })

  test('start timestamps sort as their bytes do, so that a range of values finds one of them', () => {
    fc.assert(
      fc.property(timestamp, timestamp, (a, b) => {
        assert.equal(
          Math.sign(Buffer.compare(encodeStartTs(a), encodeStartTs(b))),
          Math.sign(a - b),
        )
      }),
      { numRuns: 1_000 },
    )
  })

  test('bytes behind a record, and starts beyond 2^53, are a violated invariant', () => {
    for (const hex of [
      '00000000000000015800',
      'ffffffffffffffff58',
      '0000000000000001500000000100',
    ]) {
      assert.throws(() => decodeWriteRecord(Buffer.from(hex, 'hex')), { rule: 'I5' })
    }
    const emptyLock = `0000000000000001${'ab'.repeat(16)}0000`
    for (const hex of ['004700', '005800', '01ff58']) {
      const bytes = Buffer.from(emptyLock + hex, 'hex')
      assert.throws(() => decodeLock(1, bytes), { name: 'InvariantViolation' })
    }
  })
})

describe('the records in docs/storage-format.md', () => {
  const page = readFileSync(new URL('../../../docs/storage-format.md', import.meta.url), 'utf8')
  const startTs = 1769860800000007
  const contents: Record<string, Lock['content']> = {
    'inline `3`': { kind: 'inline', value: Buffer.from('3') },
    'data of 70000 bytes': { kind: 'data', byteLength: 70_000 },
    delete: { kind: 'delete' },
    guard: { kind: 'guard' },
  }
  const encode = (record: string, content: Lock['content']) =>
    record === 'lock' || content.kind === 'guard'
      ? encodeLock({
          startTs,
          wallMicros: 1769860800000009,
          incarnation: '000102030405060708090a0b0c0d0e0f',
          primary: { row: Buffer.from('bob'), column: '0' },
          content,
        })
      : encodeWriteRecord({ startTs, content })
  const rows = [...page.matchAll(/^\| (lock|write) \| (.+?) \| `([0-9A-F ]+)` \|$/gm)]

  test('are all found', () => assert.equal(rows.length, 6))

  for (const [, record = '', content = '', hex = ''] of rows) {
    test(`${record}, ${content}`, () => {
      const described = contents[content]
      assert.ok(described, `unknown content: ${content}`)
      assert.deepEqual(
        Buffer.from(encode(record, described)),
        Buffer.from(hex.replaceAll(' ', ''), 'hex'),
      )
    })
  }
})
