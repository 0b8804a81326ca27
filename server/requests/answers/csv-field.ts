// SPDX-License-Identifier: Apache-2.0

/** What stands for NULL in a row of so many columns: an empty field of one column would be a blank line. */
export function nullOf(columns: number): string {
  return columns === 1 ? 'NULL' : ''
}

/**
 * A line of RFC 4180. NULL is an empty field, and an empty text one in quotes. In a row of one column an empty field
 * would be a blank line, which readers skip, so that NULL is the word NULL there, and the text NULL stands in quotes.
 */
export function csvLine(texts: ReadonlyArray<string | null>): string {
  const none = nullOf(texts.length)
  return `${texts.map((text) => (text === null ? none : csvField(text, none))).join(',')}\r\n`
}

export function csvField(text: string, none = ''): string {
  return needsQuotes(text, none) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Where a reader would otherwise take it for something else; many drop blanks at either end. */
export function needsQuotes(text: string, none: string): boolean {
  return text === '' || text === none || NEEDS_QUOTES.test(text)
}

const NEEDS_QUOTES = /[",\r\n]|^[ \t]|[ \t]$/
