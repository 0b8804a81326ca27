// SPDX-License-Identifier: Apache-2.0
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { badRow, type SourceRow } from './source-row.ts'

export type CsvForm = {
  /** The types of the columns of the table by their names. */
  readonly types: ReadonlyMap<string, string>
  /** One character. */
  readonly delimiter: string
  /** What stands for NULL where it has no quotes. */
  readonly nullText: string | undefined
}

/** A record has at most so many characters. */
const RECORD_CHARACTERS_MAX = 64 * 1024 * 1024
const ROWS_AT_ONCE = 256

const LINE_END = /\r\n|\n|\r/g

/** As it stands there; behind a quote where it was quoted, which no other field begins with. */
type Field = string
type Read = { readonly record: readonly Field[]; readonly raw: string }

/**
 * The rows of a text with a header. NULL is a field without quotes: an empty one, or the word NULL where there is one
 * column, as Percolite writes it, or `nullText`. Rejects where the header names no columns of the table, and for a
 * quote out of place, behind which nobody knows where rows begin. A byte order mark is dropped.
 */
export async function* csvRows(
  chunks: AsyncIterable<Uint8Array>,
  form: CsvForm,
): AsyncGenerator<SourceRow[], void, undefined> {
  const parser = parse({
    bom: true,
    raw: true,
    delimiter: form.delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: RECORD_CHARACTERS_MAX,
    cast: (text, { quoting }) => (quoting ? `"${text}` : text),
  })
  const feeding = pipeline(inUtf8(chunks), parser)
  // What it rejects with comes out of the parser as well.
  feeding.catch(() => undefined)
  let header: Header | undefined
  let lineBefore = 0
  let rows: SourceRow[] = []
  try {
    for await (const { record, raw } of parser as AsyncIterable<Read>) {
      const line = lineBefore + 1
      // csv-parse counts the two characters of a line end within quotes as two lines.
      lineBefore += raw.match(LINE_END)?.length ?? 0
      if (header === undefined) {
        header = headerOf(record, form)
        continue
      }
      const row = rowOf(line, record, header)
      if (row !== undefined) rows.push(row)
      if (rows.length < ROWS_AT_ONCE) continue
      yield rows
      rows = []
    }
  } catch (error) {
    throw error instanceof CsvError ? misquoted(error) : error
  }
  yield rows
}

type Header = {
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: string }>
  readonly nullText: string
}

function headerOf(record: readonly Field[], { types, nullText }: CsvForm): Header {
  const names = record.map(textOf)
  const columns = names.map((name) => {
    const type = types.get(name)
    if (type !== undefined) return { name, type }
    const known = [...types.keys()].join(', ')
    throw new Error(
      `Line 1 is the header, and the table has no column "${name.slice(0, 100)}". Its columns are ${known}.`,
    )
  })
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) {
    throw new Error(`Line 1 is the header, and names the column "${twice}" twice.`)
  }
  return { columns, nullText: nullText ?? (columns.length === 1 ? 'NULL' : '') }
}

function textOf(field: Field): string {
  return field.startsWith('"') ? field.slice(1) : field
}

/** Undefined for a blank line. */
function rowOf(
  line: number,
  record: readonly Field[],
  { columns, nullText }: Header,
): SourceRow | undefined {
  const isNull = (field: Field | undefined) => field === nullText
  if (record.length === 1 && record[0] === '' && !(columns.length === 1 && isNull(''))) {
    return undefined
  }
  if (record.length !== columns.length) {
    const detail = `The line has ${record.length} fields, and the header ${columns.length}.`
    return badRow(line, detail, record.map(textOf))
  }
  const members: string[] = []
  for (const [index, { name, type }] of columns.entries()) {
    const field = record[index] as Field
    const value = isNull(field) ? 'null' : valueJson(type, textOf(field))
    if (value === undefined) {
      return badRow(line, `Column ${name}: the field is not JSON.`, record.map(textOf))
    }
    members.push(`${JSON.stringify(name)}:${value}`)
  }
  return { line, json: `{${members.join(',')}}` }
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The value as JSON; undefined for a JSON column with something else. The server says what is of a wrong type. */
function valueJson(type: string, text: string): string | undefined {
  switch (type) {
    case 'REAL':
      return JSON_NUMBER.test(text) ? text : JSON.stringify(text)
    case 'BOOLEAN':
      return /^(?:true|false)$/i.test(text) ? text.toLowerCase() : JSON.stringify(text)
    case 'JSON':
      return isJson(text) ? text : undefined
    default:
      // An INTEGER as well: a text of digits is taken for one, beyond 2^53 too.
      return JSON.stringify(text)
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function misquoted({ message }: CsvError): Error {
  return new Error(
    `The file is not CSV: ${message}. Nobody can tell where rows begin behind that line, so that the import ends there.`,
  )
}

/** Rejects at the first byte that is no UTF-8: csv-parse would put another character there. */
async function* inUtf8(chunks: AsyncIterable<Uint8Array>) {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let bytes = 0
  const check = (chunk?: Uint8Array) => {
    try {
      utf8.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw new Error(`The file is not UTF-8, at or soon after its byte ${bytes}.`)
    }
  }
  for await (const chunk of chunks) {
    check(chunk)
    bytes += chunk.length
    yield chunk
  }
  check()
}
