// SPDX-License-Identifier: Apache-2.0
import { DamagedRecord } from '../../invariant.ts'
import type { ColumnDefinition } from '../table-definition.ts'

/** The JSON texts of the catalog's rows, and what their members may be. Violations of T3. */
export type JsonObject = { readonly [member: string]: unknown }

export const COLUMN_ID_MAX = 2 ** 24 - 1

export function encodeJson(format: number, members: JsonObject): Uint8Array {
  return Buffer.from(JSON.stringify({ format, ...members }))
}

/** What a stored text is, which may be anything. */
export function parsedJson(value: Uint8Array = new Uint8Array()): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value))
  } catch {
    throw damaged('it is not JSON')
  }
}

/** The members of a text that has one of these formats. */
export function decodeJson(value: Uint8Array, formats: readonly number[]): JsonObject {
  const members = requireObject(parsedJson(value))
  if (!formats.some((format) => format === members.format)) {
    throw damaged(`there is no format ${members.format}`)
  }
  return members
}

export function damaged(problem: string): DamagedRecord {
  return new DamagedRecord('T3', { problem })
}

export function requireObject(json: unknown): JsonObject {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw damaged('an object is missing')
  }
  return json as JsonObject
}

export function requireList(json: unknown): readonly unknown[] {
  if (!Array.isArray(json)) throw damaged('a list is missing')
  return json
}

export function requireText(json: unknown): string {
  if (typeof json !== 'string' || json === '') throw damaged('a name is missing')
  return json
}

export function requireBoolean(json: unknown): boolean {
  if (typeof json !== 'boolean') throw damaged('a boolean is missing')
  return json
}

export function requireId(json: unknown, max: number): number {
  if (!Number.isInteger(json) || (json as number) < 1 || (json as number) > max) {
    throw damaged('an id is missing')
  }
  return json as number
}

export function requireColumn(columns: readonly ColumnDefinition[], columnId: number): void {
  if (!columns.some(({ id }) => id === columnId)) throw damaged('there is no such column')
}

/** Ids of columns, ascending. */
export function requireColumnIds(json: unknown, columns: readonly ColumnDefinition[]): number[] {
  const columnIds = requireList(json).map((columnId) => requireId(columnId, COLUMN_ID_MAX))
  columnIds.forEach((columnId, position) => {
    requireColumn(columns, columnId)
    if (columnId <= (columnIds[position - 1] ?? 0)) throw damaged('column ids do not ascend')
  })
  return columnIds
}
