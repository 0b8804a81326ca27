// SPDX-License-Identifier: Apache-2.0

/** The forms in which rows are answered. */
export type AnswerFormat = 'json' | 'ndjson' | 'csv' | 'table'

export const FORMAT_TYPES = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  table: 'text/plain; charset=utf-8',
} as const satisfies Readonly<Record<AnswerFormat, string>>

/** `format=` decides; without it, `Accept` may ask for NDJSON or CSV. */
export function formatOf(parameter: unknown, accept: string | undefined): AnswerFormat {
  if (parameter !== undefined) return parameter as AnswerFormat
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'json'
  if (accept.includes('application/x-ndjson')) return 'ndjson'
  return accept.includes('text/csv') ? 'csv' : 'json'
}
