// SPDX-License-Identifier: Apache-2.0
import type { Expression } from '../parser/ast.ts'
import { type Parameters, parameterJson, valueFromJson } from '../planner/planner.ts'
import type { SqlValue, Timestamp } from '../storage/storage.ts'
import { ServerError } from './server-error.ts'

/** The snapshot that an AS OF names: a stamp or an ISO time, written out or as a parameter. */
export function evaluateAsOf(expression: Expression, parameters: Parameters): Timestamp {
  const { line, column } = expression.position
  const place = { line, column }
  if (expression.kind === 'literal') {
    if (expression.type === 'integer') return stampOf(expression.value, place)
    if (expression.type === 'text') return stampOf(microsOf(expression.value, place), place)
  }
  if (expression.kind === 'parameter') {
    return readAsOf(parameterJson(expression.key, parameters, expression.position), place)
  }
  throw new ServerError(
    'invalid_request',
    'AS OF takes a stamp, an ISO time in quotes, or a parameter that is one.',
    place,
  )
}

/** The same from JSON: a stamp as a number or in digits, or an ISO time. */
export function readAsOf(json: unknown, place: { line?: number; column?: number } = {}): Timestamp {
  if (typeof json === 'number' && Number.isSafeInteger(json)) return stampOf(BigInt(json), place)
  if (typeof json === 'string') {
    if (/^\d{1,16}$/.test(json)) return stampOf(BigInt(json), place)
    return stampOf(microsOf(json, place), place)
  }
  throw new ServerError('type_mismatch', 'AS OF takes a stamp or an ISO time.', place)
}

function microsOf(text: string, place: { line?: number; column?: number }): bigint {
  let value: SqlValue
  try {
    value = valueFromJson('TIMESTAMP', text)
  } catch (cause) {
    const detail = 'AS OF takes a stamp or an ISO time such as 2026-01-31T12:00:00Z.'
    throw new ServerError('type_mismatch', detail, place, { cause })
  }
  return value as bigint
}

function stampOf(micros: bigint, place: { line?: number; column?: number }): Timestamp {
  if (micros >= 0n && micros <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(micros)
  throw new ServerError('out_of_range', 'A stamp lies between 0 and 2^53.', place)
}
