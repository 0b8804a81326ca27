// SPDX-License-Identifier: Apache-2.0
import { isUtf8 } from 'node:buffer'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { badRow, brokenAt, SourceBroken, type SourcePlace, type SourceRow } from './source-row.ts'

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
  const source = new UntilBroken(inUtf8(chunks))
  const feeding = pipeline(source, parser)
  // What it rejects with comes out of the parser as well.
  feeding.catch(() => undefined)
  let header: Header | undefined
  const place = { line: 1, byte: 0 }
  let rows: SourceRow[] = []
  const take = ({ record, raw }: Read) => {
    // Where the source broke off, a row without an end may be a part of one.
    if (source.error !== undefined && !/[\r\n]$/.test(raw)) return
    const row = header && rowOf({ ...place }, record, header)
    header ??= headerOf(record, form)
    // csv-parse counts the two characters of a line end within quotes as two lines.
    place.line += raw.match(LINE_END)?.length ?? 0
    place.byte += Buffer.byteLength(raw)
    if (row !== undefined) rows.push(row)
  }
  let why: unknown
  try {
    for await (const read of parser as AsyncIterable<Read>) {
      take(read)
      if (rows.length < ROWS_AT_ONCE) continue
      yield rows
      rows = []
    }
    why = source.error
  } catch (error) {
    // An end within quotes is one only where the source has not broken off.
    why = source.error ?? error
    // What it had read before.
    if (!(error instanceof SourceBroken))
      for (let read = parser.read(); read !== null; read = parser.read()) take(read)
  }
  yield rows
  if (why !== undefined) throw why instanceof CsvError ? misquoted(why) : brokenAt(place, why)
}

/** What a source gives, ending where it rejects: a parser gives up what it has read when its input does. */
class UntilBroken implements AsyncIterable<Uint8Array> {
  readonly #chunks: AsyncIterable<Uint8Array>
  error: unknown

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks
  }

  async *[Symbol.asyncIterator]() {
    try {
      yield* this.#chunks
    } catch (error) {
      this.error = error
    }
  }
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
    throw headerError(
      `the table has no column "${name.slice(0, 100)}". Its columns are ${known}.${otherDelimiter(record)}`,
    )
  })
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) {
    throw headerError(`it names the column "${twice}" twice.`)
  }
  return { columns, nullText: nullText ?? (columns.length === 1 ? 'NULL' : '') }
}

function headerError(what: string): SourceBroken {
  return new SourceBroken(`Line 1 is the header, and ${what}`, { line: 1, byte: 0 })
}

/** Where the header is one field, another delimiter may be meant. */
function otherDelimiter(record: readonly Field[]): string {
  const [field = ''] = record
  const mark =
    record.length === 1 ? [';', '\t', '|'].find((each) => field.includes(each)) : undefined
  if (mark === undefined) return ''
  return ` Are its fields separated by --delimiter '${mark === '\t' ? '\\t' : mark}'?`
}

function textOf(field: Field): string {
  return field.startsWith('"') ? field.slice(1) : field
}

/** Undefined for a blank line. */
function rowOf(
  place: SourcePlace,
  record: readonly Field[],
  { columns, nullText }: Header,
): SourceRow | undefined {
  const { line } = place
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
  return { ...place, json: `{${members.join(',')}}` }
}

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/

/** A decimal number as JSON has it, also of `.5`, `5.`, `+5` and `007`; undefined for what is none. */
function jsonNumber(text: string): string | undefined {
  const [, sign, whole, fraction = '', exponent = ''] = NUMBER.exec(text) ?? []
  if (whole === undefined || !/^[+-]?\.?\d/.test(text)) return undefined
  const part = fraction === '' ? '' : `.${fraction}`
  return `${sign === '-' ? '-' : ''}${whole.replace(/^0+/, '') || '0'}${part}${exponent}`
}

/** The value as JSON; undefined for a JSON column with something else. The server says what is of a wrong type. */
function valueJson(type: string, text: string): string | undefined {
  switch (type) {
    case 'REAL':
      return jsonNumber(text) ?? JSON.stringify(text)
    case 'BOOLEAN':
      return /^(?:true|false)$/i.test(text) ? text.toLowerCase() : JSON.stringify(text)
    case 'JSON':
      return isJson(text) ? text : undefined
    case 'INTEGER':
      // A text of digits is taken for one, beyond 2^53 too.
      return JSON.stringify(/^\+\d+$/.test(text) ? text.slice(1) : text)
    default:
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

function misquoted({ message, lines, bytes }: CsvError): Error {
  return new SourceBroken(
    `The file is not CSV: ${message}. Nobody can tell where rows begin behind that line, so that the import ends there.`,
    { line: lines as number, byte: bytes as number },
  )
}

const LINE_FEED = 0x0a

/** Rejects at the first byte that is no UTF-8: csv-parse would put another character there. */
async function* inUtf8(chunks: AsyncIterable<Uint8Array>) {
  let line = 1
  let byte = 0
  /** The bytes of a character that the next chunk ends. */
  let begun: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = begun.length === 0 ? Buffer.from(chunk) : Buffer.concat([begun, chunk])
    const whole = bytes.subarray(0, bytes.length - begunBytesOf(bytes))
    if (!isUtf8(whole)) {
      const broken = notUtf8(whole, { line, byte })
      yield bytes.subarray(begun.length, broken.place.byte - byte)
      throw broken
    }
    for (let at = whole.indexOf(LINE_FEED); at >= 0; at = whole.indexOf(LINE_FEED, at + 1)) {
      line += 1
    }
    byte += whole.length
    begun = bytes.subarray(whole.length)
    yield chunk
  }
  if (begun.length > 0) throw notUtf8(begun, { line, byte })
}

/** How many bytes at the end are the beginning of a longer character. */
function begunBytesOf(bytes: Buffer): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count += 1) {
    const byte = bytes[bytes.length - count] as number
    if (byte < 0x80) return 0
    if (byte < 0xc0) continue
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    return length > count ? count : 0
  }
  return 0
}

/** Where the first character begins that is not well-formed. */
function notUtf8(bytes: Buffer, from: SourcePlace): SourceBroken {
  let [good, bad] = [0, bytes.length]
  const wholeUpTo = (end: number) => end - begunBytesOf(bytes.subarray(0, end))
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1
    if (isUtf8(bytes.subarray(0, wholeUpTo(middle)))) good = middle
    else bad = middle
  }
  const before = bytes.toString('latin1', 0, wholeUpTo(good))
  const line = from.line + before.split('\n').length - 1
  const place = { line, byte: from.byte + before.length }
  return new SourceBroken(`The file is not UTF-8, from its byte ${place.byte} on.`, place)
}
