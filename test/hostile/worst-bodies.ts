// SPDX-License-Identifier: Apache-2.0
import {
  type JsonObject,
  type OpenApiDocument,
  objectAt,
  resolvePointer,
  type SchemaPointer,
} from '../../server/doors/http/openapi/document.ts'
import { WORST_BYTES, worstStatements } from './worst-texts.ts'

/** What is sent, and in words what it is. */
export type WorstBody = { readonly name: string; readonly bytes: Buffer }

function list(item: string): string {
  const count = Math.floor(WORST_BYTES / (item.length + 1)) - 1
  return `[${`${item},`.repeat(count)}${item}]`
}

function object(member: (index: number) => string): string {
  const members: string[] = []
  for (let bytes = 0, index = 0; bytes < WORST_BYTES; index += 1) {
    members.push(member(index))
    bytes += (members.at(-1)?.length ?? 0) + 1
  }
  return `{${members.join(',')}}`
}

/** Values of JSON that are as hard to read and to check as so many bytes can be. */
const VALUES: ReadonlyMap<string, string> = new Map([
  ['numbers', list('0')],
  ['nulls', list('null')],
  ['empty objects', list('{}')],
  ['empty lists', list('[]')],
  ['wrong statements', list('{"sql":0}')],
  ['statements with other names', list('{"sql":"","zzz":1}')],
  ['deep lists', list('['.repeat(200) + ']'.repeat(200))],
  ['too deep', '['.repeat(WORST_BYTES / 2) + ']'.repeat(WORST_BYTES / 2)],
  ['many names', object((index) => `"name${index}":0`)],
  ['one name again and again', object(() => '"a":0')],
  ['a long name', `{"${'n'.repeat(WORST_BYTES)}":0}`],
  ['a long string', `"${'a'.repeat(WORST_BYTES)}"`],
  ['escapes', `"${'\\u0041'.repeat(WORST_BYTES / 6)}"`],
  ['a long number', '1'.repeat(WORST_BYTES)],
  ['a long fraction', `0.${'1'.repeat(WORST_BYTES)}`],
])

/** Of the values those that are tried in each property, where what they are is looked at. */
const IN_PROPERTIES: ReadonlySet<string> = new Set([
  ...['numbers', 'wrong statements', 'deep lists', 'many names', 'a long string', 'a long number'],
])

/** What is no JSON. */
const BROKEN: ReadonlyMap<string, string | Buffer> = new Map<string, string | Buffer>([
  ['blanks', ' '.repeat(WORST_BYTES)],
  ['an open string', `{"sql":"${'a'.repeat(WORST_BYTES)}`],
  ['open lists', '['.repeat(200) + list('0').slice(0, -1)],
  ['an end that is wrong', `${list('{"a":0}')}x`],
  ['quotes', '"'.repeat(WORST_BYTES)],
  ['backslashes', `"${'\\'.repeat(WORST_BYTES)}`],
  ['no UTF-8', Buffer.alloc(WORST_BYTES, 0xff)],
])

/** Of a body of JSON: each value as it is, and in each property that its schema declares. */
export function worstJson(document: OpenApiDocument, schema: SchemaPointer): WorstBody[] {
  const bodies = new Map<string, string | Buffer>([...BROKEN, ...VALUES])
  const names = [...propertiesOf(document.json, schema)]
  for (const property of names) {
    for (const [name, value] of VALUES) {
      if (!IN_PROPERTIES.has(name)) continue
      bodies.set(`${name} in ${property}`, `{${JSON.stringify(property)}:${value}}`)
    }
  }
  if (names.includes('sql')) {
    for (const [name, value] of VALUES) {
      bodies.set(`${name} as params`, `{"sql":"SHOW TABLES","params":${value}}`)
    }
    for (const [name, sql] of worstStatements()) {
      bodies.set(`statement: ${name}`, JSON.stringify({ sql }))
    }
  }
  return [...bodies].map(([name, body]) => ({ name, bytes: Buffer.from(body) }))
}

export function worstText(): WorstBody[] {
  const texts = [...worstStatements()].map(([name, text]) => ({ name, bytes: Buffer.from(text) }))
  return [...texts, { name: 'no UTF-8', bytes: Buffer.alloc(WORST_BYTES, 0xff) }]
}

/** The names that a schema, or a branch of it, declares. */
function propertiesOf(json: JsonObject, schema: SchemaPointer): ReadonlySet<string> {
  const pointer = resolvePointer(json, schema)
  const { properties = {}, oneOf } = objectAt(json, pointer)
  const branches = Array.isArray(oneOf) ? oneOf.map((_, index) => `${pointer}/oneOf/${index}`) : []
  return new Set([
    ...Object.keys(properties as JsonObject),
    ...branches.flatMap((branch) => [...propertiesOf(json, branch)]),
  ])
}
