// SPDX-License-Identifier: Apache-2.0
import type { Expression, Position } from '../../parser/ast.ts'
import type { Timestamp } from '../../storage/storage.ts'
import { type Parameters, parameterJson } from '../expressions/parameters.ts'
import { timestampFromText } from '../json/timestamp-text.ts'
import { PlanError } from '../plan-error.ts'

/** The clause that asks for a stamp, for errors. */
export type StampClause = 'AS OF' | 'REPLAY FROM'

/**
 * The moment that AS OF or REPLAY FROM names: a stamp or an ISO time, written out or as a parameter.
 * Throws PlanError invalid_request, type_mismatch and out_of_range.
 */
export function evaluateStamp(
  clause: StampClause,
  expression: Expression,
  parameters: Parameters,
): Timestamp {
  const { position } = expression
  if (expression.kind === 'literal') {
    if (expression.type === 'integer') return stampOf(expression.value, position)
    if (expression.type === 'text') return stampOfText(clause, expression.value, position)
  }
  if (expression.kind === 'parameter') {
    return readStamp(clause, parameterJson(expression.key, parameters, position), position)
  }
  throw new PlanError(
    'invalid_request',
    `${clause} takes a stamp, an ISO time in quotes, or a parameter that is one.`,
    { position },
  )
}

/** The same from JSON: a stamp as a number or in digits, or an ISO time. */
export function readStamp(clause: StampClause, json: unknown, position?: Position): Timestamp {
  if (typeof json === 'number' && Number.isSafeInteger(json)) return stampOf(BigInt(json), position)
  if (typeof json === 'string') {
    if (/^\d{1,16}$/.test(json)) return stampOf(BigInt(json), position)
    return stampOfText(clause, json, position)
  }
  const message = `${clause} takes a stamp or an ISO time.`
  throw new PlanError('type_mismatch', message, { position })
}

function stampOfText(clause: StampClause, text: string, position: Position | undefined): Timestamp {
  const micros = timestampFromText(text)
  if (micros !== undefined) return stampOf(micros, position)
  const message = `${clause} takes a stamp or an ISO time such as 2026-01-31T12:00:00Z.`
  throw new PlanError('type_mismatch', message, { position })
}

function stampOf(micros: bigint, position: Position | undefined): Timestamp {
  if (micros >= 0n && micros <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(micros)
  throw new PlanError('out_of_range', 'A stamp lies between 0 and 2^53.', { position })
}
