// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Cell } from '../../cells/cell.ts'
import { cellOfNotes, isNoteRow, noteRowKey, timestampOfNoteRow } from '../../cells/note.ts'
import { keyString, systemRowKey } from '../../cells/row-key.ts'
import type { BufferedRow, BufferedWrite } from '../buffer/write-buffer.ts'
import type { ChangedRow } from './change-feed.ts'
import {
  changedRowsOf,
  decodeLogEntry,
  decodeLogNotes,
  encodeLogEntry,
  encodeLogNote,
} from './log-entry.ts'
import { commitsOfLogRow, logNote } from './log-row.ts'
import { isSharedLogRow, sharedLogRow } from './shared-log-row.ts'

const PUT: BufferedWrite = { kind: 'put', value: Uint8Array.of(1) }
const DELETE: BufferedWrite = { kind: 'delete' }
const GUARD: BufferedWrite = { kind: 'guard' }

const BOB = Uint8Array.of(1, 0, 0, 0, 7, 0x62)

function row(key: Uint8Array, writes: Readonly<Record<string, BufferedWrite>>): BufferedRow {
  return { key, text: keyString(key), writes: new Map(Object.entries(writes)) }
}

const changedRow: fc.Arbitrary<ChangedRow> = fc.record({
  key: fc.uint8Array({ minLength: 1, maxLength: 40 }),
  columns: fc.array(fc.stringMatching(/^[0-9]{1,3}$/), { minLength: 1, maxLength: 4 }),
  isDelete: fc.boolean(),
})

test('an entry says the same rows again, whatever their keys', () => {
  fc.assert(
    fc.property(fc.array(changedRow), (rows) => {
      const read = decodeLogEntry(encodeLogEntry(rows))
      assert.deepEqual(
        read.map(({ key, ...rest }) => ({ ...rest, key: Uint8Array.from(key) })),
        rows.map(({ key, ...rest }) => ({ ...rest, key: Uint8Array.from(key) })),
      )
    }),
  )
})

test('an entry that is cut anywhere is damage, or the rows before the cut', () => {
  const rows = [BOB, BOB].map((key) => ({ key, columns: ['0', '12'], isDelete: false }))
  const entry = encodeLogEntry(rows)
  const behindFirst = (entry.length - 1) / 2 + 1
  for (let length = 2; length < entry.length; length += 1) {
    if (length === behindFirst) continue
    assert.throws(() => decodeLogEntry(entry.subarray(0, length)), { rule: 'J9' })
  }
  assert.equal(decodeLogEntry(entry.subarray(0, behindFirst)).length, 1)
  assert.throws(() => decodeLogEntry(Uint8Array.of()), { rule: 'J9' })
  assert.throws(() => decodeLogEntry(Uint8Array.of(2)), { rule: 'J9' })
  assert.throws(() => decodeLogEntry(Uint8Array.of(1, 0x51, 0, 0, 0, 0)), { rule: 'J9' })
})

test('notes say the same commits again, behind each other; a cut anywhere else is damage', () => {
  const commit = fc.record({ commitTs: fc.maxSafeNat(), rows: fc.array(changedRow) })
  fc.assert(
    fc.property(fc.array(commit), (commits) => {
      const read = decodeLogNotes(Buffer.concat(commits.map(encodeLogNote)))
      assert.deepEqual(
        read.map(({ commitTs, rows }) => [commitTs, rows.map(({ key }) => Uint8Array.from(key))]),
        commits.map(({ commitTs, rows }) => [
          commitTs,
          rows.map(({ key }) => Uint8Array.from(key)),
        ]),
      )
    }),
  )
  const rows = [{ key: BOB, columns: ['0', '12'], isDelete: false }]
  const one = encodeLogNote({ commitTs: 8, rows })
  const two = Buffer.concat([one, encodeLogNote({ commitTs: 9, rows })])
  for (let length = 1; length < two.length; length += 1) {
    if (length === one.length) continue
    assert.throws(() => decodeLogNotes(two.subarray(0, length)), { rule: 'J9' })
  }
})

test('a row of the log tells commits that ascend up to that of its key, or is damaged', () => {
  const rows = [{ key: BOB, columns: ['0'], isDelete: false }]
  const rowOf = (keyTs: number, ...timestamps: number[]) => {
    const value = Buffer.concat(timestamps.map((commitTs) => encodeLogNote({ commitTs, rows })))
    const cell: Cell = { family: 'data', qualifier: '0', timestamp: keyTs, value }
    return { key: noteRowKey(keyTs), cells: [cell] }
  }
  assert.deepEqual(
    commitsOfLogRow(rowOf(9, 5, 7, 9)).map(({ commitTs }) => commitTs),
    [5, 7, 9],
  )
  for (const wrong of [rowOf(9, 5, 7), rowOf(9, 7, 5, 9), rowOf(9, 9, 9), rowOf(9, 9, 10)]) {
    assert.throws(() => commitsOfLogRow(wrong), { rule: 'J9' })
  }
  const { key, cells } = rowOf(9, 5, 9)
  const second = { ...(cells[0] as Cell), qualifier: '1' }
  assert.throws(() => commitsOfLogRow({ key, cells: [...cells, second] }), { rule: 'J9' })
})

test('rows of tables and of the catalog are told, with the columns of values', () => {
  const table = systemRowKey('catalog/table/7')
  const changed = changedRowsOf([
    row(table, { 0: PUT }),
    row(systemRowKey('txn/5.00'), { 0: PUT }),
    row(systemRowKey('idem/a'), { 0: PUT }),
    row(BOB, { 0: PUT, 2: GUARD, 'ack/3': PUT }),
    row(Uint8Array.of(1, 1), { 0: DELETE, 1: DELETE }),
    row(Uint8Array.of(1, 2), { 0: GUARD }),
    row(Uint8Array.of(1, 3), { 'ack/3': PUT }),
    row(Uint8Array.of(2, 0, 0, 0, 8), { 0: PUT }),
  ])
  assert.deepEqual(changed, [
    { key: table, columns: ['0'], isDelete: false },
    { key: BOB, columns: ['0'], isDelete: false },
    { key: Uint8Array.of(1, 1), columns: ['0', '1'], isDelete: true },
  ])
})

test('the keys of the log sort as the timestamps, and no other row is taken for one', () => {
  const timestamps = [0, 1, 15, 16, 2 ** 32, Number.MAX_SAFE_INTEGER]
  const keys = timestamps.map(noteRowKey)
  assert.deepEqual(keys.toSorted(Buffer.compare), keys)
  assert.deepEqual(keys.map(timestampOfNoteRow), timestamps)
  assert.ok(keys.every(isNoteRow))
  assert.ok(!keys.some(isSharedLogRow))
  const changed = [{ key: BOB, columns: ['0'], isDelete: false }]
  const { key } = sharedLogRow({ notedAt: 9, startTs: 7 }, changed)
  assert.ok(isSharedLogRow(key))
  assert.ok(!isNoteRow(key))
})

test('a transaction that changes no logged row has no entry; a large one has several parts', () => {
  const none = logNote(9, [row(BOB, { 0: GUARD })])
  assert.deepEqual([none.note, none.steps.length], [undefined, 0])
  const small = logNote(9, [row(BOB, { 0: PUT })])
  assert.equal(small.steps.length, 0)
  const { mutations } = cellOfNotes([small.note as NonNullable<typeof small.note>])
  assert.equal(mutations.length, 1)
  const rows = Array.from({ length: 3_000 }, (_, at) => {
    return row(Uint8Array.of(1, at >> 8, at & 0xff), { 0: PUT })
  })
  const { note, steps } = logNote(9, rows)
  assert.equal(note, undefined)
  assert.equal([...steps].length, steps.length)
  assert.ok(steps.length > 10)
  const cells = [...steps].flatMap(({ otherwise }) =>
    otherwise.flatMap((mutation) => (mutation.kind === 'setCell' ? [mutation] : [])),
  )
  cells.sort((a, b) => (a.qualifier < b.qualifier ? -1 : 1)) // As the store hands them out.
  const [commit, ...others] = commitsOfLogRow({ key: noteRowKey(9), cells })
  assert.equal(commit?.commitTs, 9)
  assert.deepEqual(others, [])
  assert.deepEqual(
    commit?.rows.map(({ key }) => Buffer.from(key).toString('hex')),
    rows.map(({ key }) => Buffer.from(key).toString('hex')),
  )
})

test('the log entries of the page are written and read as it says', () => {
  const page = readFileSync(new URL('../../../docs/storage-format.md', import.meta.url), 'utf8')
  const [, examples = ''] = page.split('### Examples of log entries\n')
  const lines = [...examples.matchAll(/^\| (put|delete) `(\w+)` ([0-9 ]+) \| `([0-9A-F ]+)` \|$/gm)]
  assert.equal(lines.length, 3)
  for (const [, kind, name = '', columns = '', hex = ''] of lines) {
    const key = Buffer.concat([Buffer.from('010000000710', 'hex'), Buffer.from(`${name}\0\0`)])
    const row = { key, columns: columns.split(' '), isDelete: kind === 'delete' }
    const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex')
    assert.deepEqual(Buffer.from(encodeLogEntry([row])), bytes)
    const [read] = decodeLogEntry(bytes)
    assert.deepEqual({ ...read, key: Buffer.from(read?.key ?? []) }, row)
  }
  const notes = [
    ...examples.matchAll(/^\| `(\w{14})` (put|delete) `(\w+)` \| `([0-9A-F ]+)` \|$/gm),
  ]
  assert.equal(notes.length, 2)
  const commits = notes.map(([, digits = '', kind, name]) => {
    const key = Buffer.concat([Buffer.from('010000000710', 'hex'), Buffer.from(`${name}\0\0`)])
    const rows = [{ key, columns: ['0'], isDelete: kind === 'delete' }]
    return { commitTs: Number.parseInt(digits, 16), rows }
  })
  const value = Buffer.from(
    notes.map(([, , , , hex = '']) => hex.replaceAll(' ', '')).join(''),
    'hex',
  )
  assert.deepEqual(Buffer.concat(commits.map(encodeLogNote)), value)
  assert.deepEqual(
    decodeLogNotes(value).map(({ commitTs }) => commitTs),
    commits.map(({ commitTs }) => commitTs),
  )
})
