// SPDX-License-Identifier: Apache-2.0
import { bytesText } from './stamp-text.ts'

/** How a value is shown. What stands for no text is a word that looks different from every text. */
export type GridCell = {
  readonly text: string
  readonly kind: 'value' | 'number' | 'null' | 'empty' | 'missing'
  /** All of it, where `text` is cut. */
  readonly title?: string
}

const SHOWN_MAX = 200
const TITLE_MAX = 4_000
/** Longer BYTES are shown by their size, and no digits of them can be typed over. */
export const SHOWN_BYTES_MAX = 64
const FIRST_BYTES = 8
/** Characters that fit, however wide they are. */
const FITS_MAX = 30

/** The cell of a value as the client gives it, with INTEGER as bigint and JSON as text. */
export function gridCell(value: unknown, type?: string): GridCell {
  if (value === undefined) return { text: 'missing', kind: 'missing' }
  if (value === null) return { text: 'NULL', kind: 'null' }
  if (value === '') return { text: 'empty', kind: 'empty' }
  const isNumber = typeof value === 'number' || typeof value === 'bigint' || type === 'DECIMAL'
  const kind = isNumber ? 'number' : 'value'
  if (value instanceof Uint8Array && value.length > SHOWN_BYTES_MAX) {
    const [first, size] = [hexOf(value.subarray(0, FIRST_BYTES)), bytesText(value.length)]
    return { text: `x'${first}…' ${size}`, kind }
  }
  const text = withControlsShown(valueText(value))
  if (text.length <= SHOWN_MAX) return { text, kind }
  const title = text.length <= TITLE_MAX ? text : `${text.slice(0, TITLE_MAX)}…`
  return { text: `${text.slice(0, SHOWN_MAX)}…`, kind, title }
}

/** The classes of its element. Only what may be too wide is cut by the browser, for which that is work. */
export function cellClass({ text, kind }: GridCell): string {
  return text.length > FITS_MAX ? `${kind} long` : kind
}

/** The class of the head of a column, which stands as its values do. */
export function headClass(type: string): string | undefined {
  return type === 'INTEGER' || type === 'DECIMAL' || type === 'REAL' ? 'number' : undefined
}

/** A value as a text: BYTES by hexadecimal digits, what is no text by its JSON form. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  if (Object.is(value, -0)) return '-0'
  if (value instanceof Uint8Array) return `x'${hexOf(value)}'`
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return String(value)
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Control characters as signs of their own, so that none moves what stands beside it. */
function withControlsShown(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  return text.replaceAll(/[\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, (found) => {
    const code = found.charCodeAt(0)
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    return code === 0x7f ? '\u2421' : `\\u${code.toString(16)}`
  })
}
