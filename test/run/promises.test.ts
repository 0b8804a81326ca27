// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ALL_LIMITS } from '../../server/limits.ts'
import { readTree } from '../source/tree-texts.ts'
import { LIMIT_TESTS } from './limit-tests.ts'
import { distancesFrom, importersIn } from './nearest-tests.ts'
import { testFiles } from './test-files.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ordinary = new Set(testFiles(ROOT, false))
/** What a page in a browser does can be seen in a browser only. */
const NEEDS_CHROMIUM = /^test\/(console|browser)\/[\w-]+\.system\.test\.ts$/
const TEST_NAME = /`((?:[\w-]+\/)+[\w.-]*)`/g

function read(path: string): string {
  return readFileSync(`${ROOT}/${path}`, 'utf8')
}

/** The rows of the tables below the headings that match, with the tests that their last cell names. */
function promises(page: string, heading: RegExp) {
  return read(page)
    .split(/^## /m)
    .filter((section) => heading.test(section))
    .flatMap((section) =>
      section.split('\n').filter((line) => /^\| (?!---|item|threat)/.test(line)),
    )
    .map((line) => {
      const cells = line.split(/(?<!\\) \| /)
      const tests = [...(cells.at(-1) ?? '').matchAll(TEST_NAME)].map(([, name = '']) => name)
      return { row: line.slice(2, 80), tests }
    })
}

const PAGES = [
  { page: 'docs/hardening.md', heading: /^[A-Z]\. /, rows: 40 },
  { page: 'docs/security.md', heading: /^Threats/, rows: 60 },
]

for (const { page, heading, rows } of PAGES) {
  test(`each promise of ${page} has a test in npm test, and each test that it names is there`, () => {
    const found = promises(page, heading)
    assert.ok(found.length > rows, `${found.length} rows are found`)
    const missing = found.flatMap(({ tests }) =>
      tests.filter((name) => !existsSync(`${ROOT}/${name}`)),
    )
    assert.deepEqual(missing, [], 'these tests are not there')
    const isOrdinary = (name: string) =>
      ordinary.has(name) ||
      (name.endsWith('/') && [...ordinary].some((file) => file.startsWith(name)))
    const without = found.filter(
      ({ tests }) => !tests.some((name) => isOrdinary(name) || NEEDS_CHROMIUM.test(name)),
    )
    assert.deepEqual(without, [], 'name a test of npm test for each of these')
  })
}

test('each limit is met by a test of npm test: one that names it, or the one of limit-tests.ts', () => {
  const tree = readTree(ROOT)
  const importers = importersIn(tree)
  const ofTests = [...tree].filter(
    ([path]) =>
      path !== 'test/run/limit-tests.ts' && (ordinary.has(path) || path.startsWith('test/')),
  )
  // Also a helper that names it will do, where such a test imports it.
  const isNamed = (limit: string) => {
    const word = new RegExp(`\\b${limit}\\b`)
    const naming = ofTests.flatMap(([path, text]) => (word.test(text) ? [path] : []))
    return [...distancesFrom(naming, importers).keys()].some((path) => ordinary.has(path))
  }
  const limits = Object.keys(ALL_LIMITS).filter((limit) => !(limit in LIMIT_TESTS))
  const unmet = limits.filter((limit) => !isNamed(limit))
  assert.deepEqual(unmet, [], 'name these in a test that meets them')
  const listed = Object.values(LIMIT_TESTS).filter((path) => !ordinary.has(path))
  assert.deepEqual(listed, [], 'these are no tests of npm test')
})
