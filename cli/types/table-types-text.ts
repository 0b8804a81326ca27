// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { checkedValues } from './checked-values.ts'
import {
  DECIMAL_CLASS,
  isIdentifier,
  objectType,
  orNull,
  propertyName,
  textType,
  type ValueModes,
  valueType,
} from './type-text.ts'

type Table = Schemas['Table']

/** Names that the file has already, or that its types are made of. */
const TAKEN = [
  ...['Schema', 'Statements', 'Json', 'JsonOf', 'Record', 'Uint8Array', 'Date', DECIMAL_CLASS],
]

/** The types of the tables, and the `Schema` of all, as a text of TypeScript; `taken` are more names that it has. */
export function tableTypesText(
  tables: readonly Table[],
  modes: ValueModes,
  taken: readonly string[],
): string {
  const names = typeNames(
    tables.map(({ name }) => name),
    taken,
  )
  const named = tables.map((table, index) => ({ table, name: names[index] as string }))
  const types = named.map(({ table, name }) => typesOf(table, name, modes))
  const members = named.map(({ table, name }) => `  ${propertyName(table.name)}: ${name}Table\n`)
  return `${types.join('\n')}${types.length === 0 ? '' : '\n'}export type Schema = {\n${members.join('')}}\n`
}

/** The types of JSON columns, of a file that exports `Json` by tables and columns; one that it lacks is unknown. */
export function jsonTypesText(file: string | undefined): string {
  if (file === undefined) return ''
  return `import type { Json } from ${textType(file)}

type JsonOf<Table extends string, Column extends string> =
  Json extends Record<Table, Record<Column, infer Value>> ? Value : unknown

`
}

function jsonOf(table: string, column: string): string {
  return `JsonOf<${textType(table)}, ${textType(column)}>`
}

/** Of the values of each column, by its name. */
export function columnTypes(table: Table, modes: ValueModes): ReadonlyMap<string, string> {
  const allowed = checkedValues(table, modes)
  const types = table.columns.map((column) => {
    const { name, type, notNull } = column
    const known =
      type === 'JSON' && modes.hasJsonFile ? jsonOf(table.name, name) : allowed.get(name)
    const value = known ?? valueType(type, modes)
    return [name, notNull ? value : orNull(value)] as const
  })
  return new Map(types)
}

function typesOf(table: Table, name: string, modes: ValueModes): string {
  const row = [...columnTypes(table, modes)]
  const optional = table.columns.filter((column) => !column.notNull || column.default !== undefined)
  const union = optional.map((column) => textType(column.name)).join(' | ')
  const observers = table.observers.map((each) => textType(each.name)).join(' | ')
  const members = row.map(([column, type]) => `  ${propertyName(column)}: ${type}\n`)
  return [
    `export type ${name} = {\n${members.join('')}}\n`,
    `export type ${name}Key = ${keyType(table, modes)}\n`,
    `export type ${name}Table = ${objectType([
      ['row', name],
      ['key', `${name}Key`],
      ['optional', union === '' ? 'never' : union],
      ...(observers === '' ? [] : [['observers', observers] as const]),
    ])}\n`,
  ].join('')
}

/** In key order, a DECIMAL as its text; the columns are its labels where all of them can be. */
function keyType({ columns, primaryKey }: Table, modes: ValueModes): string {
  const types = primaryKey.map(({ column }) => {
    const type = columns.find(({ name }) => name === column)?.type ?? ''
    return [column, valueType(type, { ...modes, decimal: 'string' })] as const
  })
  const hasLabels = types.every(([column]) => isIdentifier(column))
  const parts = types.map(([column, type]) => (hasLabels ? `${column}: ${type}` : type))
  return `[${parts.join(', ')}]`
}

/** `tradeLine` -> `TradeLine`, `2nd table` -> `T2ndTable`; each different, with what is made from it. */
function typeNames(tables: readonly string[], more: readonly string[]): readonly string[] {
  const taken = new Set([...TAKEN, ...more])
  return tables.map((table) => {
    const words = table.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
    const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
    const base = /^[A-Z]/.test(joined) ? joined : `T${joined}`
    let name = base
    for (let number = 2; madeFrom(name).some((each) => taken.has(each)); number += 1) {
      name = `${base}${number}`
    }
    for (const each of madeFrom(name)) taken.add(each)
    return name
  })
}

function madeFrom(name: string): readonly string[] {
  return [name, `${name}Key`, `${name}Table`]
}
