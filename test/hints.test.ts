// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { COMMANDS } from '../cli/commands.ts'
import { createParser, ParseError } from '../parser/parser.ts'
import { loadContract } from '../server/doors/http/openapi/contract.ts'

// What the texts of the code tell people to run, call or write is there: commands with their flags, paths of the
// contract, and the beginnings of statements.

const ROOT = new URL('..', import.meta.url).pathname
const ROOMS = ['parser', 'planner', 'server', 'storage', 'engines', 'cli', 'client-sdk', 'console']

type Text = { readonly file: string; readonly text: string }

/** Sentences within quotes, with a word in lower case after another; SQLite's own language is another one. */
const TEXTS: readonly Text[] = ROOMS.flatMap((room) =>
  globSync(`${room}/**/*.{ts,tsx}`, { cwd: ROOT }),
)
  .filter((file) => !/\.test\.tsx?$|\.gen\.ts$|node_modules|^storage\/cells\/sqlite/.test(file))
  .flatMap((file) => {
    const code = readFileSync(`${ROOT}/${file}`, 'utf8').replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
    const quoted = code.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)
    return [...quoted].map(([, one, two, three]) => ({ file, text: one ?? two ?? three ?? '' }))
  })
  .filter(({ text }) => /[a-z]{2,}\b.* [a-z]/.test(text))

/** Clauses, which begin no statement. */
const BEFORE_CLAUSES = [
  ['USE', 'SCAN * FROM t '],
  ['ALTER COLUMN', 'ALTER TABLE t '],
  ['DROP COLUMN', 'ALTER TABLE t '],
  ['DROP CONSTRAINT', 'ALTER TABLE t '],
] as const

/** What is wrong with each of the texts, with its file. */
function wrongOf(find: (text: string) => readonly string[]): readonly string[] {
  return TEXTS.flatMap(({ file, text }) =>
    find(text).map((wrong) => `${file}: ${wrong} in ${text}`),
  )
}

test('every command that a text names is one of percolite, and so are its flags', () => {
  const flags = new Map(COMMANDS.map((each) => [each.name, Object.keys(each.flags)]))
  let count = 0
  const wrong = wrongOf((text) =>
    [...text.matchAll(/\bpercolite ([a-z]+)((?: [\w./…=-]+)*)/g)].flatMap(
      ([whole, name = '', words = '']) => {
        count += 1
        const named = [...words.matchAll(/ --([a-z-]+)/g)].map(([, flag = '']) => flag)
        return named.every((flag) => flags.get(name)?.includes(flag)) && flags.has(name)
          ? []
          : [whole]
      },
    ),
  )
  assert.deepEqual(wrong, [])
  assert.ok(count > 10, `${count}`)
})

test('every path that a text names is one of the contract', () => {
  const { paths } = loadContract().document.json as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  }
  const patterns = Object.entries(paths).map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    methods: Object.keys(methods),
  }))
  let count = 0
  const wrong = wrongOf((text) =>
    [
      ...text.matchAll(
        /(?:\b(GET|POST|PUT|PATCH|DELETE) )?(\/(?:v1\/[\w/{}$.…-]+|healthz|readyz|metrics)\b\}?)/g,
      ),
    ].flatMap(([whole, method, path = '']) => {
      count += 1
      const found = patterns.filter(({ pattern }) =>
        pattern.test(path.replace(/\$\{[^}]*\}/g, 'x')),
      )
      const isThere = found.some(
        ({ methods }) => method === undefined || methods.includes(method.toLowerCase()),
      )
      return isThere ? [] : [whole]
    }),
  )
  assert.deepEqual(wrong, [])
  assert.ok(count > 10, `${count}`)
})

test('every statement that a text names begins as one of the dialect', () => {
  const parser = createParser()
  const begins = (words: string) => {
    const before = BEFORE_CLAUSES.find(([first]) => words.startsWith(first))?.[1] ?? ''
    const text = `${before}${words}`
    try {
      parser.parseScript(text)
      return true
    } catch (error) {
      return error instanceof ParseError && error.offset >= text.length
    }
  }
  let count = 0
  const wrong = wrongOf((text) =>
    [
      ...text.matchAll(
        /\b(?:CREATE|ALTER|DROP|SHOW|DESCRIBE|GRANT|REVOKE|ROTATE|EXPLAIN|USE|INSERT)(?: \[?[A-Z]{2,}\]?)+/g,
      ),
    ].flatMap(([words]) => {
      count += 1
      return begins(words.replaceAll(/[[\]]/g, '')) ? [] : [words]
    }),
  )
  assert.deepEqual(wrong, [])
  assert.ok(count > 10, `${count}`)
})
