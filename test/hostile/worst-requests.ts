// SPDX-License-Identifier: Apache-2.0
import type { OpenApiDocument, Operation } from '../../server/doors/http/openapi/document.ts'
import { worstJson, worstText } from './worst-bodies.ts'
import { WORST_BYTES, WORST_URL_BYTES, worstStatements, worstValues } from './worst-texts.ts'

export type WorstRequest = {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

/** What stands for the parameters of paths where they are not what is tried. */
export type Places = Readonly<Record<string, string>>

/**
 * The worst requests of an operation, by what `openapi.yaml` declares of it: a body of every kind for each of
 * its media types, each parameter with every kind of value, and what is declared nowhere.
 */
export function* worstRequests(
  document: OpenApiDocument,
  operation: Operation,
  places: Places,
): Generator<WorstRequest> {
  const { method, body } = operation
  const path = pathOf(operation, places)
  const bare = { method: method.toUpperCase(), path, headers: {}, body: undefined }
  for (const [mediaType, schema] of body?.schemas ?? []) {
    const bodies = mediaType === 'application/json' ? worstJson(document, schema) : worstText()
    for (const { name, bytes } of bodies) {
      const headers = { 'content-type': mediaType }
      yield { ...bare, name: `${mediaType}: ${name}`, headers, body: bytes }
    }
  }
  if (body === undefined) {
    const headers = { 'content-type': 'application/json' }
    const numbers = Buffer.from(`[${'0,'.repeat(WORST_BYTES / 2)}0]`)
    yield { ...bare, name: 'a body that is not taken', headers, body: numbers }
  }
  for (const parameter of operation.parameters) {
    for (const [name, value] of valuesOf(parameter.name)) {
      yield {
        ...bare,
        ...placed(operation, places, parameter, value),
        name: `${parameter.name}: ${name}`,
      }
    }
  }
  const names = Array.from({ length: 2_000 }, (_, index) => `name${index}=`).join('&')
  yield { ...bare, name: 'many parameters', path: `${path}?${names}` }
  yield { ...bare, name: 'one parameter many times', path: `${path}?${'limit=1&'.repeat(3_000)}` }
  yield { ...bare, name: 'parts of a path', path: `${path}${'/a'.repeat(WORST_URL_BYTES / 2)}` }
  yield { ...bare, name: 'marks', path: `${path}?${'&='.repeat(WORST_URL_BYTES / 2)}` }
  for (const header of ['accept', 'content-type', 'if-match', 'if-none-match', 'cookie', 'host']) {
    const value = 'text/csv;q=0.1, "a", '.repeat(WORST_URL_BYTES / 21)
    yield { ...bare, name: `a long ${header}`, headers: { [header]: value } }
  }
}

/** Texts of statements where a statement is meant, or a part of one. */
function valuesOf(name: string): ReadonlyMap<string, string> {
  if (name !== 'sql' && name !== 'where') return worstValues()
  const statements = [...worstStatements()].map(
    ([kind, text]) => [kind, text.slice(0, WORST_URL_BYTES / 3)] as const,
  )
  return new Map([...worstValues(), ...statements])
}

function placed(
  operation: Operation,
  places: Places,
  parameter: Operation['parameters'][number],
  value: string,
): Partial<WorstRequest> {
  if (parameter.in === 'path') {
    return { path: pathOf(operation, { ...places, [parameter.name]: shortEncoded(value, 8_000) }) }
  }
  if (parameter.in === 'query') {
    const search = `${parameter.name}=${shortEncoded(value, WORST_URL_BYTES)}`
    return {
      path: `${pathOf(operation, places)}?${search}${requiredOf(operation, parameter.name)}`,
    }
  }
  return { headers: { [parameter.name]: value.replaceAll('\n', ' ') } }
}

/** The other parameters without which nothing is looked at. */
function requiredOf({ parameters }: Operation, besides: string): string {
  return parameters
    .filter((each) => each.in === 'query' && each.required && each.name !== besides)
    .map(({ name }) => `&${name}=${encodeURIComponent('SCAN * FROM victim')}`)
    .join('')
}

/** Escapes are cut whole. */
function shortEncoded(value: string, charactersMax: number): string {
  const encoded = encodeURIComponent(value.toWellFormed().slice(0, charactersMax))
  return encoded.slice(0, charactersMax).replace(/%[0-9A-F]?$/, '')
}

function pathOf({ path }: Operation, places: Places): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => places[name] ?? 'x')
}
