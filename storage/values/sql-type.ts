// SPDX-License-Identifier: Apache-2.0
import type { Decimal } from './decimal.ts'

/** The types of the dialect. */
export const SQL_TYPES = [
  'TEXT',
  'INTEGER',
  'DECIMAL',
  'REAL',
  'BOOLEAN',
  'BYTES',
  'TIMESTAMP',
  'DATE',
  'JSON',
] as const
export type SqlType = (typeof SQL_TYPES)[number]

/**
 * A value in memory. Its type is always known from the column or the expression, never from the
 * value: TEXT is a well-formed string, INTEGER a bigint of 64 bits, REAL a finite number (never −0),
 * BOOLEAN a boolean, BYTES a Uint8Array, TIMESTAMP a bigint of microseconds since 1970 (UTC), DATE one of days since
 * then, and JSON its text as `JSON.stringify` writes it.
 */
export type SqlValue = null | string | bigint | number | boolean | Uint8Array | Decimal
