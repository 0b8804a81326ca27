// SPDX-License-Identifier: Apache-2.0
import { PlanError, valueFromJson } from '../planner/planner.ts'
import {
  columnPosition,
  type SqlType,
  type SqlValue,
  type TableDefinition,
} from '../storage/storage.ts'
import { ServerError } from './server-error.ts'

/**
 * A primary key as it stands in a path: components joined by `,`; inside one, `~1` is a comma and
 * `~0` a tilde. TIMESTAMP is ISO, BYTES base64url. The path itself has been percent-decoded before.
 *
 *     (customer TEXT, at TIMESTAMP)      o'hara~1 ltd,2026-01-31T12:00:00Z
 */
export function readKeyPath(table: TableDefinition, path: string): SqlValue[] {
  const components = path.split(',')
  if (components.length !== table.primaryKey.length) {
    throw new ServerError(
      'invalid_request',
      `The key of "${table.name}" has ${table.primaryKey.length} components, and ${components.length} are given.`,
      { hint: 'write a comma inside a component as ~1, and a tilde as ~0' },
    )
  }
  return table.primaryKey.map(({ columnId }, index) => {
    const column = table.columns[columnPosition(table, columnId)]
    const text = unescapeComponent(components[index] ?? '')
    return componentValue(column?.type ?? 'TEXT', text)
  })
}

function unescapeComponent(component: string): string {
  return component.replaceAll(/~(.?)/gs, (sequence, character) => {
    if (character === '1') return ','
    if (character === '0') return '~'
    throw new ServerError('invalid_request', `In a key, "${sequence}" is neither ~0 nor ~1.`)
  })
}

function componentValue(type: SqlType, text: string): SqlValue {
  const value = valueFromJson(type, jsonOf(type, text))
  if (value === null) throw new PlanError('type_mismatch', `"${text}" is not ${type}.`)
  return value
}

/** The JSON that stands for the same value. */
function jsonOf(type: SqlType, text: string): unknown {
  switch (type) {
    case 'REAL':
      return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : text
    case 'BOOLEAN':
      return text === 'true' || text === 'false' ? text === 'true' : text
    case 'BYTES':
      return text.replaceAll('-', '+').replaceAll('_', '/')
    default:
      return text
  }
}
