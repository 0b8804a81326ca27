// SPDX-License-Identifier: Apache-2.0
import { parse } from 'csv-parse/browser/esm/sync'

/** A field without quotes that stands for NULL is null, as Percolite writes it. */
export type CsvRecord = { readonly line: number; readonly fields: readonly (string | null)[] }
export type CsvText = { readonly header: readonly string[]; readonly records: readonly CsvRecord[] }

/** Larger ones go by `percolite import`, which reads them piece by piece. */
export const CSV_BYTES_MAX = 32_000_000

const LINE_END = /\r\n|\n|\r/g
const DELIMITERS = [',', ';', '\t', '|']

type Read = { readonly record: readonly string[]; readonly raw: string }

/**
 * Reads a CSV with a header. Its delimiter is the one that the header has most of. Throws for a quote out of place,
 * behind which nobody knows where rows begin, and where there is no header.
 */
export function parseCsv(text: string): CsvText {
  const [firstLine = ''] = text.split(/[\r\n]/, 1)
  const count = (delimiter: string) => firstLine.split(delimiter).length
  const delimiter = DELIMITERS.reduce((best, one) => (count(one) > count(best) ? one : best))
  const read = parse(text, {
    bom: true,
    raw: true,
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // A quoted field is told by the quote that stands before it.
    cast: (field, { quoting }) => (quoting ? `"${field}` : field),
  }) as unknown as readonly Read[]
  const [first, ...others] = read
  if (first === undefined)
    throw new Error('The file is empty: its first line has to name the columns.')
  const header = first.record.map((field) => (field.startsWith('"') ? field.slice(1) : field))
  const nullText = header.length === 1 ? 'NULL' : ''
  const valueIn = (field: string) => {
    if (field === nullText) return null
    return field.startsWith('"') ? field.slice(1) : field
  }
  let line = 1 + lineEnds(first.raw)
  const records: CsvRecord[] = []
  for (const { record, raw } of others) {
    const isBlank = record.length === 1 && record[0] === ''
    if (!isBlank) records.push({ line, fields: record.map(valueIn) })
    line += lineEnds(raw)
  }
  return { header, records }
}

function lineEnds(raw: string): number {
  return raw.match(LINE_END)?.length ?? 0
}
