// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs'
import type { FuzzInput } from './fuzz-input.ts'

export type CorpusEntry = { readonly name: string; readonly input: FuzzInput }

const FOLDER = new URL('corpus/', import.meta.url)

/** Inputs that broke something once, their names begin with `found:`, and those that might. By file. */
export function readCorpus(): ReadonlyMap<string, readonly CorpusEntry[]> {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'))
  return new Map(
    files.map((name) => [name, JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'))]),
  )
}
