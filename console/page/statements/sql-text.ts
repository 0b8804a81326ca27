// SPDX-License-Identifier: Apache-2.0

/** A name as the dialect takes it, whatever is in it. */
export function quoted(name: string): string {
  const isPlain = /^[A-Za-z_]\w*$/.test(name) && !RESERVED.has(name.toUpperCase())
  return isPlain ? name : `"${name.replaceAll('"', '""')}"`
}

/** A value of a client with INTEGER as bigint, as a literal. */
export function literalOf(value: unknown): string {
  if (typeof value === 'string') return textLiteral(value)
  if (value instanceof Uint8Array) {
    return `x'${Array.from(value, (byte) => byte.toString(16).padStart(2, '0')).join('')}'`
  }
  return String(value).toUpperCase()
}

/** A value of a column of this type as it stands in an answer, as a literal. */
export function wireLiteral(value: unknown, type: string): string {
  // Where a TIMESTAMP, a DATE or BYTES is expected, a text is one.
  const isText = typeof value === 'string' && type !== 'INTEGER'
  return isText ? textLiteral(value) : String(value).toUpperCase()
}

export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Words that are no names without quotes. */
export const RESERVED: ReadonlySet<string> = new Set(
  (
    'AND AS ASC BEGIN BETWEEN BY CASE CHECK COMMIT CREATE DELETE DESC DISTINCT DROP EXISTS EXPLAIN FALSE FOR ' +
    'FROM GET GROUP IF IN INSERT INTO IS LIKE LIMIT NOT NULL ON OR ORDER RETURNING ROLLBACK SCAN SELECT SET ' +
    'TRUE UPDATE USE VALUES WHEN WHERE'
  ).split(' '),
)
