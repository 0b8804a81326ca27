// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { KEYWORDS, RESERVED_WORDS } from './grammar/keywords.ts'
import { createParser } from './parser.ts'

const dialect = readFileSync(new URL('../docs/dialect.md', import.meta.url), 'utf8')

function blocks(language: string): readonly string[] {
  const found = dialect.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)
  return [...found].filter(([, of]) => of === language).map(([, , text]) => text as string)
}

test('every example of the document is understood', () => {
  const parser = createParser({ skipValidations: false })
  const examples = blocks('sql')
  assert.ok(examples.length > 1)
  for (const example of examples) assert.doesNotThrow(() => parser.parseScript(example), example)
})

test('the document lists the reserved words', () => {
  const listed = dialect.match(/^> [A-Z ]+$/gm)?.flatMap((line) => line.slice(2).split(' '))
  assert.deepEqual(listed, RESERVED_WORDS.map(({ name }) => name).toSorted())
})

test('every keyword stands in the document', () => {
  const words = new Set(dialect.match(/[A-Z]+/g))
  const missing = KEYWORDS.map(({ name }) => name).filter((name) => !words.has(name))
  assert.deepEqual(missing, [])
})
