// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { StoreHistory } from '../../../storage/transactions/history/store-history.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { CursorSecrets } from '../../guard/access/cursor-secrets.ts'
import { type CursorOwner, type CursorPosition, Cursors } from './cursor.ts'

const RETENTION_MS = 3_600_000
const history = new StoreHistory('000102030405060708090a0b0c0d0e0f', 0, [])
const secret = new Uint8Array(32).fill(7)
const clock = new ManualClock()
const secretsOf = (first: Uint8Array) =>
  new CursorSecrets(first, clock, { read: async () => ({ retentionMs: RETENTION_MS }) })
const cursors = new Cursors(secretsOf(secret), history)
const owner = { sql: 'SCAN * FROM t', params: { a: 1 }, principal: undefined }

/** What it says, where nobody has to be asked. */
function positionIn(cursor: string, of: CursorOwner = owner, by = cursors): CursorPosition {
  const position = by.read(cursor, of)
  assert.ok(!(position instanceof Promise))
  return position
}

test('a cursor is read as it was written', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.uint8Array(), (readTimestamp, after) => {
      const cursor = cursors.write({ readTimestamp, after }, owner)
      const position = positionIn(cursor)
      assert.equal(position.readTimestamp, readTimestamp)
      assert.deepEqual(new Uint8Array(position.after), after)
    }),
  )
})

test('a cursor does not show its place, and tells of two places only whether they are the same', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 8 }), fc.uint8Array({ minLength: 8 }), (one, other) => {
      fc.pre(Buffer.compare(one, other) !== 0)
      const [first = '', second = ''] = [one, other].map((after) => {
        const cursor = cursors.write({ readTimestamp: 5, after }, owner)
        assert.equal(cursor, cursors.write({ readTimestamp: 5, after }, owner))
        return cursor.split('.')[3]
      })
      assert.notEqual(first, Buffer.from(one).toString('base64url'))
      assert.notEqual(first.slice(0, 10), second.slice(0, 10))
    }),
  )
})

test('a cursor tells of the length of a key no more than a step', () => {
  const lengthOf = (bytes: number) =>
    cursors.write({ readTimestamp: 5, after: new Uint8Array(bytes).fill(0x80) }, owner).length
  for (const [from, to] of [
    [0, 127],
    [128, 255],
    [1024, 2047],
  ] as const) {
    assert.equal(lengthOf(from), lengthOf(to))
    assert.ok(lengthOf(to) < lengthOf(to + 1))
  }
})

const position = { readTimestamp: 5, after: Uint8Array.of(1, 2) }
const refused = { code: 'bad_cursor' }

test('a cursor is refused with any other statement or parameters', () => {
  const cursor = cursors.write(position, owner)
  assert.throws(() => cursors.read(cursor, { ...owner, sql: 'SCAN * FROM u' }), refused)
  assert.throws(() => cursors.read(cursor, { ...owner, params: { a: 2 } }), refused)
  assert.throws(() => cursors.read(cursor, { ...owner, params: undefined }), refused)
})

test('a cursor is of its principal only', () => {
  const mine = { ...owner, principal: 'token:aaaaaaaaaa' }
  const cursor = cursors.write(position, mine)
  assert.equal(positionIn(cursor, mine).readTimestamp, 5)
  assert.throws(() => cursors.read(cursor, { ...owner, principal: 'token:bbbbbbbbbb' }), refused)
  assert.throws(() => cursors.read(cursor, owner), refused)
  assert.throws(() => cursors.read(cursors.write(position, owner), mine), refused)
})

test('a cursor of another store is refused', () => {
  const other = new Cursors(secretsOf(new Uint8Array(32).fill(8)), history)
  assert.throws(() => other.read(cursors.write(position, owner), owner), refused)
})

test('a cursor that was changed anywhere is refused', () => {
  const cursor = cursors.write(position, owner)
  fc.assert(
    fc.property(fc.nat(cursor.length - 2), fc.constantFrom('A', '9', '.', '-'), (at, character) => {
      const changed = cursor.slice(0, at) + character + cursor.slice(at + 1)
      fc.pre(changed !== cursor)
      assert.throws(
        () => cursors.read(changed, owner),
        (error: { code: string }) => {
          const isOfHistory = at >= 2 && at < 34
          return error.code === 'bad_cursor' || (isOfHistory && error.code === 'history_replaced')
        },
      )
    }),
  )
})

test('a cursor of another history is told so, though a copy of the store has its secret', () => {
  const position = { readTimestamp: 160, after: Uint8Array.of(1, 2) }
  const cursor = cursors.write(position, owner)
  const gap = { after: 150, until: 200 }
  const copy = new Cursors(secretsOf(secret), new StoreHistory('f'.repeat(32), 200, [gap]))
  const told = {
    code: 'history_replaced',
    fields: { history: 'f'.repeat(32), from: 200, timestamp: 160, gap },
  }
  assert.throws(() => copy.read(cursor, owner), told)
  // Also with a signature that nobody made: which history it is of needs no secret.
  assert.throws(() => copy.read(`${cursor}x`, owner), told)
  assert.throws(() => copy.read(copy.write(position, owner), owner), told)
  const later = { ...position, readTimestamp: 200 }
  assert.equal(positionIn(copy.write(later, owner), owner, copy).readTimestamp, 200)
})

test('a cursor that an older version of the server made is refused', () => {
  const old = [`2.${history.id}.5.AQI.${'A'.repeat(43)}`, `3.${history.id}.9007199254740993..AA`]
  for (const cursor of ['1.5.AQI.AAAA', '2.5.AQI.AAAA', ...old]) {
    assert.throws(() => cursors.read(cursor, owner), refused)
  }
})

test('any other text is refused', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.throws(() => cursors.read(text, owner), refused)
    }),
  )
})

test('a rotated secret signs, and the one from before is read for the retention', async () => {
  const first = Buffer.from(secret).toString('base64')
  const second = Buffer.alloc(32, 9).toString('base64')
  const rotated = secretsOf(secret)
  const until = clock.wallMicros() + RETENTION_MS * 1_000
  const asOthers = { name: 'cursor', secret: second, former: { secret: first, until } }
  const later = new Cursors(rotated, history)
  const old = later.write(position, owner)
  rotated.know(asOthers)
  const made = later.write(position, owner)
  assert.notEqual(made, old)
  assert.equal(positionIn(old, owner, later).readTimestamp, 5)
  assert.equal(positionIn(made, owner, later).readTimestamp, 5)
  assert.throws(() => cursors.read(made, owner), refused)

  const others = secretsOf(secret)
  let looks = 0
  const elsewhere = new Cursors(others, history, async () => {
    looks += 1
    others.know(asOthers)
  })
  assert.equal(positionIn(old, owner, elsewhere).readTimestamp, 5)
  assert.equal(looks, 0, 'nothing to look for')
  assert.equal((await elsewhere.read(made, owner)).readTimestamp, 5, 'another has rotated it')
  await assert.rejects(async () => elsewhere.read(made, { ...owner, params: 1 }), refused)
  assert.equal(looks, 2)

  await clock.advance(RETENTION_MS)
  assert.throws(() => later.read(old, owner), refused)
  assert.equal(positionIn(made, owner, later).readTimestamp, 5)
  rotated.know({ ...asOthers, secret: first, former: { secret: 'AAAA', until: until * 2 } })
  assert.throws(() => later.read(made, owner), refused, 'the one before the last')
})
