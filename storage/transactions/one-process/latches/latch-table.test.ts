// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashOfText } from '../../../cells/row-hash.ts'
import { InvariantViolation } from '../../../invariant.ts'
import { type LatchOwner, type LatchRequest, LatchTable } from './latch-table.ts'
import { hashedRow } from './latched-rows.ts'

const write = (text: string): LatchRequest => ({ ...hashedRow(text), kind: 'write' })

function breaks(rule: string, work: () => unknown): void {
  assert.throws(work, (error) => error instanceof InvariantViolation && error.rule === rule)
}

test('a row has one latch at most (J2)', () => {
  const latches = new LatchTable()
  latches.latch(7, [write('bob')])
  breaks('J2', () => latches.latch(8, [write('bob')]))
})

test('commit timestamps are entered as they are taken, once and above the start (J4)', () => {
  const latches = new LatchTable()
  const first = latches.latch(7, [write('bob')])
  const second = latches.latch(8, [write('joe')])
  breaks('J4', () => latches.stamp(second, 8))
  latches.stamp(second, 10)
  breaks('J4', () => latches.stamp(first, 9))
  breaks('J4', () => latches.stamp(second, 11))
})

test('a latch is released once, and by its owner (J5)', () => {
  const latches = new LatchTable()
  const owner = latches.latch(7, [write('bob')])
  breaks('J5', () => latches.release(owner, [write('joe')]))
  latches.release(owner, [write('bob')])
  breaks('J5', () => latches.release(owner, [write('bob')]))
})

test('rows that share a slot have latches of their own', () => {
  const latches = new LatchTable()
  const other = textInPlaceOf('bob')
  const owners = ['bob', other].map((text, at) => {
    const owner = latches.latch(7 + at, [write(text)])
    latches.stamp(owner, 9 + at)
    return owner
  })
  const hiding = () => ['bob', other].map((text) => latches.hiding(Buffer.from(text), 20))
  assert.deepEqual(hiding(), owners)
  latches.release(owners[0] as LatchOwner, [write('bob')])
  assert.deepEqual(hiding(), [undefined, owners[1]])
  latches.release(owners[1] as LatchOwner, [write(other)])
  assert.deepEqual(hiding(), [undefined, undefined])
})

/** Another row in the same slot of the table that tells a reader where no latch is. */
function textInPlaceOf(text: string): string {
  for (let at = 0; ; at++) {
    if (((hashOfText(String(at)) ^ hashOfText(text)) & 0xffff) === 0) return String(at)
  }
}

test('every release wakes those who wait for the owner, and they look again', async () => {
  const latches = new LatchTable()
  const rows = [write('bob'), write('joe')]
  const owner = latches.latch(7, rows)
  for (const row of rows) {
    const woken = latches.nextRelease(owner)
    assert.equal(woken, latches.nextRelease(owner))
    latches.release(owner, [row])
    await woken
  }
  assert.equal(latches.size, 0)
})

test('a store that is being closed ends all waiting, also what begins to wait afterwards', async () => {
  const latches = new LatchTable()
  const owner = latches.latch(7, [write('bob')])
  const waiting = assert.rejects(latches.nextRelease(owner), /being closed/)
  latches.endWaiting(new Error('being closed'))
  await waiting
  await assert.rejects(latches.nextRelease(owner), /being closed/)
  latches.release(owner, [write('bob')])
})

test('the range of a scan is searched as a look at every latch would', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\xff'), minLength: 1, maxLength: 3 })
  const transaction = fc.record({
    rows: fc.uniqueArray(fc.record({ text, kind: fc.constantFrom('write', 'guard') }), {
      selector: (row) => row.text,
      minLength: 1,
    }),
    isStamped: fc.boolean(),
    released: fc.nat(5),
  })
  const example = fc.record({
    transactions: fc.array(transaction, { maxLength: 6 }),
    start: text,
    end: fc.option(text),
    readTs: fc.integer({ min: 1, max: 30 }),
  })
  fc.assert(
    fc.property(example, ({ transactions, start, end, readTs }) => {
      const latches = new LatchTable()
      const hiding = new Map<LatchOwner, string[]>()
      for (const [at, { rows, isStamped, released }] of transactions.entries()) {
        const placed = rows.map((row) => ({ ...row, ...hashedRow(row.text) }))
        const free = placed.filter((row) => latches.ownerOf(row.text) === undefined)
        if (free.length === 0) continue
        const owner = latches.latch(1, free)
        if (isStamped) latches.stamp(owner, 2 + at * 4)
        latches.release(owner, free.slice(0, released))
        const held = free.slice(released).filter(({ kind }) => kind === 'write')
        hiding.set(
          owner,
          held.map((row) => row.text),
        )
      }
      const bytes = (key: string) => Buffer.from(key, 'latin1')
      const isHiding = ([{ commitTs }, rows]: [LatchOwner, string[]]) =>
        commitTs !== undefined &&
        commitTs <= readTs &&
        rows.some((row) => row >= start && (end === null || row < end))
      const found = latches.hidingBetween(
        bytes(start),
        end === null ? undefined : bytes(end),
        readTs,
      )
      assert.equal(found !== undefined, [...hiding].some(isHiding))
    }),
  )
})
