// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'

// Pages that people read to the end: few words, short sentences, small cells. The bounds only shrink.

/** A new capability may add 1,500. */
const WORDS_MAX = 88_640
const SENTENCE_WORDS_P90_MAX = 28
const CELL_WORDS_MAX = 40
const REASON_PAGES_MAX = 12

/** Pages whose tables a test compares with the code, row by row: look-ups, whose words are not counted. */
const COMPARED: Readonly<Record<string, string>> = {
  'docs/coming-from-sql.md': 'test/guide/coming-from-sql.test.ts',
  'docs/commands.md': 'test/docs.test.ts',
  'docs/configuration.md': 'test/docs.test.ts',
  'docs/dialect.md': 'test/docs.test.ts',
  'docs/errors.md': 'test/docs.test.ts',
  'docs/hardening.md': 'test/run/promises.test.ts',
  'docs/http-api.md': 'test/docs.test.ts',
  'docs/limits.md': 'test/docs.test.ts',
  'docs/metrics.md': 'server/operations/metrics/metrics-docs.test.ts',
  'docs/percolator.md': 'test/percolator-page/percolator-page.system.test.ts',
  'docs/security.md': 'test/run/promises.test.ts',
  'docs/shell.md': 'cli/shell/shell-page.test.ts',
  'docs/storage-format.md': 'storage/tables/bytes/storage-format.test.ts',
  'docs/testing.md': 'test/docs.test.ts',
  'docs/websocket-protocol.md': 'test/docs.test.ts',
}

const ROOT = new URL('..', import.meta.url)

function readText(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8')
}

/** Code within a line is one word, bytes in hexadecimal digits for instance; in a cell it has its length. */
function wordsIn(text: string): number {
  return lengthIn(text.replaceAll(/`[^`\n]+`/g, 'code'))
}

function lengthIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

/** A page without code blocks, what is generated between two comments, and the targets of links. */
function partsOf(path: string) {
  const text = readText(path)
    .replaceAll(/^ *(```+).*\n[\s\S]*?^ *\1$/gm, '')
    .replaceAll(/<!-- (\S+) -->[\s\S]*?<!-- end of \1 -->/g, '')
    .replaceAll(/\]\([^)]*\)/g, ']')
  const lines = text.split('\n')
  const rows = lines.filter((line) => /^\s*\|/.test(line))
  const prose = lines.filter((line) => !/^\s*\|/.test(line)).join('\n')
  const sentences = prose
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)|\n#+ .*|(?<=[.!?:;][)*"`_]*)\s+(?=[\p{Lu}*`"([\d])/u)
    .map(wordsIn)
    .filter((words) => words > 0)
  const cells = rows.flatMap((row) => row.split(/(?<!\\)\|/).map(lengthIn))
  const table = path in COMPARED ? 0 : wordsIn(rows.join(' '))
  return { path, words: wordsIn(prose) + table, sentences, cells }
}

function percentile90(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * 0.9)] ?? 0
}

// The changelog is a record of releases, and only grows.
const pages = globSync(
  ['*.md', 'docs/**/*.md', '{client-sdk,engines,examples,server,storage}/**/*.md'],
  { cwd: ROOT, exclude: ['**/node_modules'] },
)
  .filter((path) => path !== 'CHANGELOG.md')
  .map(partsOf)
  .toSorted((a, b) => b.words - a.words)

test('all pages together have few words', (t) => {
  const total = pages.reduce((sum, { words }) => sum + words, 0)
  for (const { path, words, sentences } of pages) {
    t.diagnostic(`${words} words, 90 % of sentences below ${percentile90(sentences)}: ${path}`)
  }
  assert.ok(
    total <= WORDS_MAX,
    `${total - WORDS_MAX} words too many: shorten the page that you changed (tables in COMPARED are free), or a long one: ${pages
      .slice(0, 5)
      .map(({ path }) => path)
      .join(', ')}`,
  )
})

test('nine tenths of all sentences are short', () => {
  const p90 = percentile90(pages.flatMap(({ sentences }) => sentences))
  assert.ok(p90 <= SENTENCE_WORDS_P90_MAX, `${p90} words: make two sentences of the long ones`)
})

test('a cell of a table is a line, not a paragraph', () => {
  const long = pages
    .map(({ path, cells }) => ({ path, cells: cells.filter((n) => n > CELL_WORDS_MAX).length }))
    .filter(({ cells }) => cells > 0)
  assert.deepEqual(long, [], 'put what is above 40 words below the table')
})

test('the reasons are on few pages, each of them in the list', () => {
  const list = readText('docs/why/README.md')
  const reasons = globSync('docs/why/*.md', { cwd: ROOT }).map((path) => basename(path))
  assert.ok(reasons.length <= REASON_PAGES_MAX, 'put a reason on the page of its theme')
  for (const name of reasons) {
    assert.ok(name === 'README.md' || list.includes(`](${name})`), `add ${name} to the list`)
  }
})

test('tables whose words are not counted are compared by a test', () => {
  for (const [page, file] of Object.entries(COMPARED)) {
    assert.ok(readText(file).includes(basename(page)), `${file} does not read ${page}`)
  }
})
