// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs'
import type { Content, FuzzInput } from './fuzz-input.ts'

export type CorpusEntry = { readonly name: string; readonly input: FuzzInput }

/** In a file an input is the fields that it has beside `rest`, or Content alone, which is then its field `alone`. */
const FILES = {
  'bodies.json': {
    rest: { kind: 'request', path: '/v1/query', contentType: 'application/json' },
    alone: 'body',
  },
  'records.json': { rest: { kind: 'stored' }, alone: 'bytes' },
  'requests.json': { rest: { kind: 'socket' }, alone: 'bytes' },
  'statements.json': { rest: { kind: 'statements' }, alone: 'text' },
} as const

/** Inputs that broke something once, their names begin with `found:`, and those that might. By file. */
export function readCorpus(): ReadonlyMap<string, readonly CorpusEntry[]> {
  return new Map(
    Object.entries(FILES).map(([file, { rest, alone }]) => {
      const text = readFileSync(new URL(`corpus/${file}`, import.meta.url), 'utf8')
      const entries = Object.entries(JSON.parse(text) as Readonly<Record<string, Content | object>>)
      return [file, entries.map(([name, given]) => ({ name, input: inputOf(rest, alone, given) }))]
    }),
  )
}

function inputOf(rest: object, alone: string, given: Content | object): FuzzInput {
  return { ...rest, ...(isContent(given) ? { [alone]: given } : (given as object)) } as FuzzInput
}

function isContent(given: Content | object): boolean {
  if (typeof given === 'string' || Array.isArray(given)) return true
  return 'hex' in given || 'repeat' in given
}
