// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { encodeRow } from '../../../test/storage/encoded-row.ts'
import { tableOf } from '../../../test/storage/table-of.ts'
import { type DecimalSize, decimalFromText } from '../../values/decimal.ts'
import { pathText } from '../../values/json/json-path.ts'
import type { SqlType, SqlValue } from '../../values/sql-type.ts'
import { WORDS_VERSION } from '../../values/words.ts'
import { decodeIdentity, encodeIdentity } from '../catalog/identity-row.ts'
import { decodeScheduleProgress, writeScheduleProgress } from '../catalog/schedule-progress.ts'
import { type IndexDefinition, partName } from '../table-definition.ts'
import { decodeEntry, encodeEntries, entryColumns } from './index-entry.ts'
import { readKeyComponent } from './key-component.ts'
import { decodePrimaryKey, encodeKeyComponent, encodePrimaryKey } from './key-encoding.ts'
import { decodeRow } from './row-codec.ts'
import { decodeTable, encodeTable } from './table-codec.ts'

const page = readFileSync(new URL('../../../docs/storage-format.md', import.meta.url), 'utf8')

test('the key values of the page are written and read as it says', () => {
  const examples = rowsBelow('### Examples of key values')
  assert.ok(examples.length > 25)
  for (const [written, order, json, bytes] of examples as [string, string, string, string][]) {
    const { type, size } = typeOf(written)
    const descending = order === 'DESC'
    const value = sqlValueOf(type, unquoted(json))
    const component = encodeKeyComponent(type, value, descending, size)
    assert.equal(hexOf(component), unquoted(bytes), `${written} ${json}`)
    const read = readKeyComponent(Buffer.from(component), 0, { type, descending, size })
    assert.deepEqual(read, { value, end: component.length })
  }
})

test('the row keys of the page are written and read as it says', () => {
  const examples = rowsBelow('### Examples of row keys')
  assert.ok(examples.length > 2)
  for (const [id, columns, json, bytes] of examples as [string, string, string, string][]) {
    const parts = columns.split(', ').map((column) => column.split(' ') as [SqlType, string?])
    const isDown = parts.map(([, order]) => order === 'DESC')
    const table = tableOf(
      parts.map(([type], index) => column(index + 1, type, true)),
      {
        id: Number(id),
        primaryKey: isDown.map((descending, index) => ({ columnId: index + 1, descending })),
      },
    )
    const values = sqlValuesOf(
      parts.map(([type]) => type),
      unquoted(json),
    )
    const key = encodePrimaryKey(table, values)
    assert.equal(hexOf(key), unquoted(bytes))
    assert.deepEqual(decodePrimaryKey(table, key), values)
  }
})

test('the row values of the page are written and read as it says', () => {
  const examples = rowsBelow('### Examples of row values')
  assert.ok(examples.length > 10)
  for (const [columns, json, bytes] of examples as [string, string, string][]) {
    const others = [...columns.matchAll(/(\d+) (\w+(?:\(.*?\))?)/g)].map(([, id, written = '']) => {
      const { type, size } = typeOf(written)
      return { ...column(Number(id), type, false), ...(size && { size }) }
    })
    const table = tableOf([column(1, 'INTEGER', true), ...others])
    const types = others.map(({ type }) => type)
    const row = [1n, ...sqlValuesOf(types, unquoted(json))]
    const { key, value } = encodeRow(table, row)
    assert.equal(hexOf(value), unquoted(bytes))
    assert.deepEqual(decodeRow(table, key, value), row)
  }
})

test('the definitions of the page are written and read as it says', () => {
  // As if the page had been written by this version of ICU.
  const ofThis = page.replace('"words": 78', `"words": ${WORDS_VERSION}`)
  const jsons = [...ofThis.matchAll(/```json\n([^`]*)```/g)].map(([, json]) => json as string)
  assert.equal(jsons.length, 9)
  const tables = jsons.map((json) => decodeTable(Buffer.from(json)))
  const [account, user, observed, checked, numbered, pathed, tagged, scheduled, worded] = tables
  assert.deepEqual(numbered?.columns[0]?.default, { kind: 'identity', isAlways: true, series: 2 })
  assert.deepEqual(
    checked?.checks.map(({ state }) => state),
    ['ready', 'adding'],
  )
  assert.deepEqual(
    pathed?.indexes[0]?.parts.map((part) => partName(pathed, part)),
    ["meta->'address'->>'city'", "meta->'tags'->>-1", "meta#>>'{0}'"],
  )
  assert.deepEqual(
    tagged?.indexes[0]?.parts.map((part) => partName(tagged, part)),
    ["EACH meta->'tags'", 'at'],
  )
  assert.deepEqual(
    worded?.indexes[0]?.parts.map((part) => partName(worded, part)),
    ['WORDS body'],
  )
  assert.deepEqual(
    scheduled?.schedules.map(({ times }) => times),
    [{ every: '1 day', at: '03:00' }, { cron: '0 3 * * MON' }],
  )
  assert.equal(account?.name, 'account')
  assert.deepEqual(account?.columns[1]?.default, { kind: 'literal', value: 0n })
  assert.equal(user?.columns[3]?.valueBefore, 0n)
  assert.equal(user?.columns[2]?.family, 1)
  assert.equal(user?.indexes[0]?.name, 'byEmail')
  assert.deepEqual(
    observed?.observers.map(({ name, isWeak }) => [name, isWeak]),
    [
      ['invert', false],
      ['rank', true],
    ],
  )
  tables.forEach((table, place) => {
    const written = JSON.parse(Buffer.from(encodeTable(table)).toString())
    assert.deepEqual(written, JSON.parse(jsons[place] as string))
  })
})

test('the counter of the page is written and read as it says', () => {
  const [, json] = /\| `identity\/<table id>` \| `(\{[^`]*\})`/.exec(page) ?? []
  const counter = decodeIdentity(Buffer.from(json ?? ''))
  assert.deepEqual(counter, { series: 1, next: 33n })
  assert.equal(Buffer.from(encodeIdentity(counter)).toString(), json)
})

test('the progress of a schedule of the page is written and read as it says', async () => {
  const [, json] = /\| `schedule\/<id>` \| `(\{[^`]*\})`/.exec(page) ?? []
  const progress = decodeScheduleProgress(Buffer.from(json ?? ''))
  assert.deepEqual(progress, { next: 1769828400000000, last: 1769742000000000 })
  const put = (_key: Uint8Array, _column: string, value: Uint8Array) =>
    assert.equal(Buffer.from(value).toString(), json)
  writeScheduleProgress({ put }, { id: 9 }, progress)
})

test('the index entries of the page are written and read as it says', () => {
  const examples = rowsBelow('### Examples of index entries')
  assert.ok(examples.length > 6)
  const columns = [
    column(1, 'INTEGER', true),
    column(2, 'TEXT', false),
    column(3, 'INTEGER', false),
  ]
  const table = tableOf(columns)
  for (const [text, json, key, value] of examples as [string, string, string, string][]) {
    const [, unique, parts, stored] =
      /^(UNIQUE )?INDEX \(([^)]*)\)(?: STORING \((\d)\))?$/.exec(text) ?? []
    const index: IndexDefinition = {
      id: 8,
      name: 'i',
      unique: unique !== undefined,
      parts: (parts ?? '').split(', ').map((part) => ({
        columnId: Number(/\d/.exec(part)?.[0]),
        descending: part.endsWith('DESC'),
        ...(part.startsWith('WORDS') && { each: 'words' as const }),
      })),
      storing: stored === undefined ? [] : [Number(stored)],
      state: 'ready',
    }
    const [id, name, count] = JSON.parse(unquoted(json)) as [number, string | null, number | null]
    const row = [BigInt(id), name, count === null ? null : BigInt(count)]
    const entries = encodeEntries(table, index, row)
    const entry = entries.find((each) => hexOf(each.key) === unquoted(key))
    assert.equal(entries.length, text.includes('WORDS') ? 2 : 1)
    assert.ok(entry !== undefined, text)
    assert.equal(hexOf(entry.value), unquoted(value), text)
    const read = decodeEntry(table, index, { ...entry, commitTs: null })
    for (const position of entryColumns(table, index)) {
      assert.equal(read.row[position], row[position])
    }
  }
})

test('the entries of a path and of EACH of the page are written and read as it says', () => {
  const examples = rowsBelow('### Examples of entries of a path')
  assert.equal(examples.length, 6)
  const seen = new Map<string, number>()
  const table = tableOf([column(1, 'INTEGER', true), column(2, 'JSON', false)])
  for (const [text, json, key, value] of examples as [string, string, string, string][]) {
    const [, unique, path = '', order] =
      /^(UNIQUE )?INDEX \((?:EACH )?2(.*?)( DESC)?\)$/.exec(text) ?? []
    const steps = [...path.matchAll(/->>?(?:'(.*?)'|(\d+))/g)].map(([, name, index]) =>
      name === undefined ? { index: Number(index) } : { name },
    )
    const isEach = text.includes('EACH')
    assert.equal(pathText(steps, isEach ? '>' : '>>'), path)
    const index: IndexDefinition = {
      id: 8,
      name: 'i',
      unique: unique !== undefined,
      parts: [
        {
          columnId: 2,
          descending: order !== undefined,
          path: steps,
          ...(isEach && { each: 'members' as const }),
        },
      ],
      storing: [],
      state: 'ready',
    }
    const [, id, meta] = /^\[(\d+),(.*)\]$/.exec(unquoted(json)) as unknown as [
      string,
      string,
      string,
    ]
    const entries = encodeEntries(table, index, [BigInt(id), meta])
    const entry = entries[seen.get(text) ?? 0]
    seen.set(text, (seen.get(text) ?? 0) + 1)
    assert.ok(entry !== undefined && entries.length === (isEach ? 2 : 1))
    assert.equal(hexOf(entry.key), unquoted(key), text)
    assert.equal(hexOf(entry.value), unquoted(value), text)
    assert.deepEqual(decodeEntry(table, index, { ...entry, commitTs: null }).row, [
      BigInt(id),
      null,
    ])
    assert.deepEqual(entryColumns(table, index), [0])
  }
})

test('the row of two families of the page is written as it says', () => {
  const columns = [
    column(1, 'INTEGER', true),
    column(2, 'TEXT', false),
    { ...column(3, 'TEXT', false), family: 1 },
  ]
  const table = tableOf(columns, { families: [{ id: 1, name: 'f' }] })
  const written = [0, 1].map((family) => hexOf(encodeRow(table, [7n, 'a', 'b'], family).value))
  const sentence = /are `([0-9A-F ]+)` in column `0` and\s+`([0-9A-F ]+)` in column `1`/.exec(page)
  assert.deepEqual(written, sentence?.slice(1))
})

function typeOf(text: string): { readonly type: SqlType; readonly size?: DecimalSize } {
  const [, type, precision, scale] = /^(\w+)(?:\((\d+), (\d+)\))?$/.exec(text) ?? []
  const size = { precision: Number(precision), scale: Number(scale) }
  return { type: type as SqlType, ...(precision !== undefined && { size }) }
}

/** The cells of the table that follows a heading, without its two head rows. */
function rowsBelow(heading: string): string[][] {
  const section = page.slice(page.indexOf(heading)).split(/\n#+ /)[0] as string
  const lines = section.split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

function column(id: number, type: SqlType, notNull: boolean) {
  return { id, name: `c${id}`, type, notNull }
}

function unquoted(cell: string): string {
  return cell.replaceAll('`', '')
}

function hexOf(bytes: Uint8Array): string {
  const pairs = Buffer.from(bytes).toString('hex').toUpperCase().match(/../g)
  return (pairs ?? []).join(' ')
}

/** Whole numbers may exceed what a JSON number holds exactly, so they are taken from the text. */
function sqlValuesOf(types: readonly SqlType[], json: string): SqlValue[] {
  const isWhole = types.some((type) => ['INTEGER', 'TIMESTAMP', 'DATE'].includes(type))
  const exact = isWhole ? json.replace(/(?<=[[ ])-?\d+(?=[\],])/g, '"$&"') : json
  const items = JSON.parse(exact) as unknown[]
  return types.map((type, index) => sqlValueOf(type, JSON.stringify(items[index])))
}

function sqlValueOf(type: SqlType, json: string): SqlValue {
  const value = JSON.parse(/^-?\d{16,}$/.test(json) ? `"${json}"` : json) as SqlValue
  if (value === null) return null
  if (['INTEGER', 'TIMESTAMP', 'DATE'].includes(type)) return BigInt(value as string)
  if (type === 'DECIMAL') return decimalFromText(value as string) as SqlValue
  return type === 'BYTES' ? Uint8Array.from(Buffer.from(value as string, 'hex')) : value
}
