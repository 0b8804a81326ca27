// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { EMBEDDED_LIMITS } from '../../../cells/call-check.ts'
import type { Row } from '../../../cells/cell.ts'
import { hashOfKey } from '../../../cells/row-hash.ts'
import { keyString } from '../../../cells/row-key.ts'
import type { BufferedWrite } from '../../buffer/write-buffer.ts'
import { decodeWriteRecord, encodeWriteRecord } from '../../records/write-record.ts'
import { encodeRow } from '../encoded-row.ts'
import { NewestRecords } from './newest-records.ts'
import { RecentWrites } from './recent-writes.ts'

const BOB = Buffer.from('\u0001bob', 'latin1')
const put = (value: string): BufferedWrite => ({ kind: 'put', value: Buffer.from(value) })

function given() {
  const recent = new RecentWrites()
  const newest = new NewestRecords(recent, 2 ** 20)
  newest.earlierEndedAt(5)
  return { recent, newest }
}

/** The row as a snapshot reads it in the view: one record of its column. */
function rowRead(key: Uint8Array, commitTs: number, text: string, column = '0'): Row {
  const content = { kind: 'inline', value: Buffer.from(text) } as const
  const value = encodeWriteRecord({ startTs: commitTs - 1, content })
  return { key, cells: [{ family: 'write', qualifier: column, timestamp: commitTs, value }] }
}

function rowCommitted(key: Uint8Array, startTs: number, ...writes: Array<[string, BufferedWrite]>) {
  return encodeRow({ key, text: keyString(key), writes: new Map(writes) }, startTs, EMBEDDED_LIMITS)
}

/** Other rows that have Bob's slot in this process, in a table of any size up to 2 ** 18 slots. */
function keysInPlaceOfBob(count: number): Buffer[] {
  const keys: Buffer[] = []
  for (let at = 0; keys.length < count; at++) {
    const key = Buffer.from(`\u0001${at}`, 'latin1')
    if (((hashOfKey(key) ^ hashOfKey(BOB)) & 0x3ffff) === 0) keys.push(key)
  }
  return keys
}

/** Such as `3@8`, or `delete@8`. */
function found(newest: NewestRecords, readTs: number, key: Uint8Array = BOB, column = '0') {
  const cell = newest.find(key, column, readTs)?.cells[0]
  if (cell === undefined) return undefined
  const { content } = decodeWriteRecord(cell.value)
  const text = content.kind === 'inline' ? Buffer.from(content.value).toString() : content.kind
  return `${text}@${cell.timestamp}`
}

describe('a record that was read', () => {
  test('is found by every snapshot that sees it, and by no older one', () => {
    const { newest } = given()
    newest.wasRead(rowRead(BOB, 6, '10'), 9)
    assert.equal(found(newest, 6), '10@6')
    assert.equal(found(newest, 100), '10@6')
    assert.equal(found(newest, 5), undefined)
  })

  test('is not kept when the row was released with a later timestamp than the snapshot', () => {
    const { recent, newest } = given()
    recent.committed(hashOfKey(BOB), 9)
    newest.wasRead(rowRead(BOB, 6, '10'), 9)
    assert.equal(found(newest, 9), undefined)
    newest.wasRead(rowRead(BOB, 9, '3'), 10)
    assert.equal(found(newest, 10), '3@9')
  })

  test('is not kept by a snapshot among the commits of earlier processes', () => {
    const { newest } = given()
    newest.wasRead(rowRead(BOB, 4, '10'), 5)
    assert.equal(found(newest, 6), undefined)
    newest.wasRead(rowRead(BOB, 4, '10'), 6)
    assert.equal(found(newest, 6), '10@4')
  })

  test('is not kept before it is known where the commits of earlier processes end', () => {
    const newest = new NewestRecords(new RecentWrites(), 2 ** 20)
    newest.wasRead(rowRead(BOB, 6, '10'), 9)
    assert.equal(found(newest, 9), undefined)
  })

  test('is the row of its own column and key only', () => {
    const { newest } = given()
    newest.wasRead(rowRead(BOB, 6, '10'), 9)
    assert.equal(found(newest, 9, BOB, '1'), undefined)
    assert.equal(found(newest, 9, BOB, '01'), undefined)
    for (const key of keysInPlaceOfBob(4)) assert.equal(found(newest, 9, key), undefined)
  })

  test('is not changed under its reader by the next row in its slot', () => {
    const { newest } = given()
    newest.wasRead(rowRead(BOB, 6, '10'), 9)
    const row = newest.find(BOB, '0', 9)
    newest.wasRead(rowRead(BOB, 7, '77'), 9)
    assert.deepEqual(row?.cells, rowRead(BOB, 6, '10').cells)
  })
})

test('a larger cache has room for more rows, however short they are', () => {
  const rows = 100_000
  const keyAt = (at: number) => Buffer.from(`\u0001${at}`, 'latin1')
  const kept = [2 ** 20, 2 ** 27].map((bytesMax) => {
    const newest = new NewestRecords(new RecentWrites(), bytesMax)
    newest.earlierEndedAt(5)
    for (let at = 0; at < rows; at += 1) newest.wasRead(rowRead(keyAt(at), 6, 'x'), 9)
    let found = 0
    for (let at = 0; at < rows; at += 1) if (newest.find(keyAt(at), '0', 9)) found += 1
    return found
  })
  const [small = 0, large = 0] = kept
  assert.ok(small < 65_536, `${small}`)
  assert.ok(large > 0.85 * rows, `${large}`)
})

describe('rows that share a slot', () => {
  const sharing = keysInPlaceOfBob(4)
  const [ann] = sharing as [Buffer]
  const commit = (newest: NewestRecords, key: Buffer, value: string, commitTs: number) =>
    newest.wasCommitted(rowCommitted(key, 7, ['0', put(value)]), commitTs)

  test('are all four found; a fifth takes the slot of the first', () => {
    const { newest } = given()
    const all = () => [BOB, ...sharing].map((key) => found(newest, 20, key))
    for (const [at, key] of [BOB, ...sharing].slice(0, 4).entries())
      commit(newest, key, 'v', 8 + at)
    assert.deepEqual(all(), ['v@8', 'v@9', 'v@10', 'v@11', undefined])
    commit(newest, sharing[3] as Buffer, 'v', 12)
    assert.deepEqual(all(), [undefined, 'v@9', 'v@10', 'v@11', 'v@12'])
  })

  test('are forgotten one by one', () => {
    const { newest } = given()
    commit(newest, BOB, '1', 8)
    commit(newest, ann, '2', 9)
    newest.forget(keyString(ann))
    assert.deepEqual([found(newest, 20), found(newest, 20, ann)], ['1@8', undefined])
    commit(newest, ann, '4', 11)
    newest.forget(keyString(BOB))
    assert.deepEqual([found(newest, 20), found(newest, 20, ann)], [undefined, '4@11'])
  })

  test('never stand twice: what is newer replaces the record where it is', () => {
    const { newest } = given()
    commit(newest, BOB, '1', 8)
    commit(newest, ann, '2', 9)
    // Ann is next to her own slot, which is free now.
    newest.forget(keyString(BOB))
    commit(newest, ann, '5', 12)
    assert.equal(found(newest, 20, ann), '5@12')
    newest.forget(keyString(ann))
    assert.equal(found(newest, 20, ann), undefined)
  })
})

describe('a record that was committed', () => {
  test('takes the slot of the one before it', () => {
    const { newest } = given()
    newest.wasRead(rowRead(BOB, 6, '10'), 9)
    newest.wasCommitted(rowCommitted(BOB, 7, ['0', put('3')]), 8)
    assert.equal(found(newest, 8), '3@8')
    assert.equal(found(newest, 7), undefined)
    newest.wasCommitted(rowCommitted(BOB, 9, ['0', { kind: 'delete' }]), 10)
    assert.equal(found(newest, 10), 'delete@10')
  })

  test('is forgotten', () => {
    const { newest } = given()
    newest.wasCommitted(rowCommitted(BOB, 7, ['0', put('3')]), 8)
    newest.forget(keyString(BOB))
    assert.equal(found(newest, 8), undefined)
  })

  test('is kept of a long value as well, which stands elsewhere', () => {
    const { newest } = given()
    newest.wasCommitted(rowCommitted(BOB, 7, ['0', put('v'.repeat(1_537))]), 8)
    assert.equal(found(newest, 8), 'data@8')
  })

  test('is not kept when it is a guard, one of several, or the system’s own', () => {
    const { newest } = given()
    const system = Buffer.from('\u0000bob', 'latin1')
    newest.wasCommitted(rowCommitted(BOB, 7, ['0', { kind: 'guard' }]), 8)
    newest.wasCommitted(rowCommitted(BOB, 7, ['0', put('3')], ['1', put('4')]), 8)
    newest.wasCommitted(rowCommitted(BOB, 7, ['long', put('3')]), 8)
    newest.wasCommitted(rowCommitted(system, 7, ['0', put('3')]), 8)
    for (const column of ['0', '1', 'l', 'long']) {
      assert.equal(found(newest, 8, BOB, column), undefined)
      assert.equal(found(newest, 8, system, column), undefined)
    }
  })

  test('stands as it was written, whatever fits', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 60 })
    const written = fc.record({ key: bytes, value: fc.uint8Array({ maxLength: 1_536 }) })
    fc.assert(
      fc.property(written, ({ key, value }) => {
        const { newest } = given()
        newest.wasCommitted(rowCommitted(key, 7, ['0', { kind: 'put', value }]), 8)
        const record = newest.find(key, '0', 8)?.cells[0]?.value
        assert.equal(record === undefined, key[0] === 0)
        if (record !== undefined)
          assert.deepEqual(decodeWriteRecord(record).content, {
            kind: 'inline',
            value: Buffer.from(value),
          })
      }),
    )
  })
})
