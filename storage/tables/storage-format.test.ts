// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { decodeTable, encodeTable } from './catalog-codec.ts'
import { readKeyComponent } from './key-component.ts'
import { decodePrimaryKey, encodeKeyComponent, encodePrimaryKey } from './key-encoding.ts'
import { decodeRow, encodeRow } from './row-codec.ts'
import type { SqlType, SqlValue } from './sql-type.ts'
import type { TableDefinition } from './table-definition.ts'

const page = readFileSync(new URL('../../docs/storage-format.md', import.meta.url), 'utf8')

test('the key values of the page are written and read as it says', () => {
  const examples = rowsBelow('### Examples of key values')
  assert.ok(examples.length > 25)
  for (const [type, order, json, bytes] of examples as [SqlType, string, string, string][]) {
    const descending = order === 'DESC'
    const value = sqlValueOf(type, unquoted(json))
    const component = encodeKeyComponent(type, value, descending)
    assert.equal(hexOf(component), unquoted(bytes), `${type} ${json}`)
    const read = readKeyComponent(Buffer.from(component), 0, { type, descending })
    assert.deepEqual(read, { value, end: component.length })
  }
})

test('the row keys of the page are written and read as it says', () => {
  const examples = rowsBelow('### Examples of row keys')
  assert.ok(examples.length > 2)
  for (const [id, columns, json, bytes] of examples as [string, string, string, string][]) {
    const parts = columns.split(', ').map((column) => column.split(' ') as [SqlType, string?])
    const table: TableDefinition = {
      id: Number(id),
      name: 't',
      columns: parts.map(([type], index) => column(index + 1, type, true)),
      primaryKey: parts.map(([, order], index) => ({
        columnId: index + 1,
        descending: order === 'DESC',
      })),
    }
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
    const parts = columns === '' ? [] : columns.split(', ').map((text) => text.split(' '))
    const others = parts.map(([id, type]) => column(Number(id), type as SqlType, false))
    const table: TableDefinition = {
      id: 7,
      name: 't',
      columns: [column(1, 'INTEGER', true), ...others],
      primaryKey: [{ columnId: 1, descending: false }],
    }
    const types = others.map(({ type }) => type)
    const row = [1n, ...sqlValuesOf(types, unquoted(json))]
    const { key, value } = encodeRow(table, row)
    assert.equal(hexOf(value), unquoted(bytes))
    assert.deepEqual(decodeRow(table, key, value), row)
  }
})

test('the definition of the page is written and read as it says', () => {
  const json = /```json\n([^`]*)```/.exec(page)?.[1] as string
  const table = decodeTable(Buffer.from(json))
  assert.equal(table.name, 'account')
  assert.deepEqual(table.columns[1]?.default, { kind: 'literal', value: 0n })
  assert.deepEqual(JSON.parse(Buffer.from(encodeTable(table)).toString()), JSON.parse(json))
})

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
  const isWhole = types.some((type) => type === 'INTEGER' || type === 'TIMESTAMP')
  const exact = isWhole ? json.replace(/(?<=[[ ])-?\d+(?=[\],])/g, '"$&"') : json
  const items = JSON.parse(exact) as unknown[]
  return types.map((type, index) => sqlValueOf(type, JSON.stringify(items[index])))
}

function sqlValueOf(type: SqlType, json: string): SqlValue {
  const value = JSON.parse(/^-?\d{16,}$/.test(json) ? `"${json}"` : json) as SqlValue
  if (value === null) return null
  if (type === 'INTEGER' || type === 'TIMESTAMP') return BigInt(value as string)
  return type === 'BYTES' ? Uint8Array.from(Buffer.from(value as string, 'hex')) : value
}
