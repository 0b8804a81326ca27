// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { LONG_FUNCTIONS, NAMES, PAGE_WORDS, UNUSED_EXPORTS, WORDS } from './tidy-exceptions.ts'
import {
  beyondExceptions,
  type Finding,
  fullFolders,
  longFiles,
  longFunctions,
  longLines,
  NPM_SCRIPTS_MAX,
  overusedNames,
  problemOfSubject,
  unusedWords,
  wideDoors,
} from './tidy-rules.ts'
import { readTree } from './tree-texts.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const tree = readTree(root)
/** The last commit whose subject nobody looked at. */
const SUBJECTS_SINCE = '932f1a2'

test('no file is longer than 400 lines', () => {
  assert.ok(tree.size > 1000, 'the tree is found')
  assert.deepEqual(beyondExceptions(longFiles(tree), {}), [])
})

test('no door of storage exports more than 110 names', () => {
  assert.deepEqual(beyondExceptions(wideDoors(tree), {}), [])
  const names = Array.from({ length: 111 }, (_, at) => `n${at}`).join(', ')
  const wide = wideDoors(new Map([['storage/a.ts', `export { ${names} } from './b.ts'`]]))
  assert.deepEqual(
    wide.map(({ count }) => count),
    [111],
  )
})

test('no folder has more than 20 files', () => {
  assert.deepEqual(beyondExceptions(fullFolders(tree), {}), [])
})

test('no function is longer than 60 lines', () => {
  assert.deepEqual(beyondExceptions(longFunctions(tree), LONG_FUNCTIONS), [])
})

test('lines of comments and pages end at 120 characters', () => {
  assert.deepEqual(beyondExceptions(longLines(tree), {}), [])
})

test('npm run lists at most 32 scripts', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const count = Object.keys(scripts).length
  const advice = 'give a command that is there a flag, or document a call of `node`'
  assert.ok(
    count <= NPM_SCRIPTS_MAX,
    `npm run lists ${count} scripts, above ${NPM_SCRIPTS_MAX}: ${advice}`,
  )
})

test('words that were given up do not come back', () => {
  const elsewhere = new Map([...tree].filter(([path]) => !path.startsWith('test/source/tidy')))
  assert.deepEqual(beyondExceptions(unusedWords(elsewhere, WORDS), {}), [])
  const pages = new Map([...tree].filter(([path]) => path.endsWith('.md')))
  assert.deepEqual(beyondExceptions(unusedWords(pages, PAGE_WORDS), {}), [])
})

test('names that say little become fewer', () => {
  assert.deepEqual(beyondExceptions(overusedNames(tree, NAMES), {}), [])
  const told = new Map([
    ['server/a.ts', 'told(told)\n// told\nuntold'],
    ['bench/b.ts', 'told'],
  ])
  const found = overusedNames(told, [{ name: 'told', max: 1, instead: 'say "sent"' }])
  assert.deepEqual(
    found.map(({ count }) => count),
    [2],
  )
})

test('the subject of a commit names a room and has at most 72 characters', (t) => {
  const log = spawnSync('git', ['log', '--no-merges', '--format=%s', `${SUBJECTS_SINCE}..HEAD`], {
    cwd: root,
    encoding: 'utf8',
  })
  if (log.status !== 0) return t.skip('there is no history of git here')
  const subjects = log.stdout.split('\n').filter((line) => line !== '')
  assert.deepEqual(subjects.map(problemOfSubject).filter(Boolean), [])
})

test('no script leaves a pipe that is written to: with pipefail it ends the script now and then', () => {
  for (const path of ['.ci/run', 'bench/peers.sh', 'test/engines.sh']) {
    assert.doesNotMatch(readFileSync(join(root, path), 'utf8'), /\| *(head|grep -q)\b/, path)
  }
})

test('a transaction begins, runs its statements and is run again in one way', () => {
  const server = [...tree].filter(
    ([path]) => path.startsWith('server/') && path.endsWith('.ts') && !path.endsWith('.test.ts'),
  )
  const times = (code: string) =>
    server.reduce((sum, [, text]) => sum + text.split(code).length - 1, 0)
  // A request's attempt, a transaction that its client leaves open, and the server's own.
  assert.equal(times('storage.begin('), 3)
  assert.equal(times('new StatementExecution('), 1)
  assert.equal(times('SERVER_LIMITS.transactionAttemptsMax'), 1, 'one loop runs them again')
})

test('every file, every export and every package is used', (t) => {
  const program = join(root, 'node_modules/knip/bin/knip.js')
  if (!existsSync(program)) return t.skip('knip is not installed: npm ci')
  const ran = spawnSync(process.execPath, [program, '--reporter', 'json', '--no-progress'], {
    cwd: root,
    encoding: 'utf8',
  })
  assert.ok(ran.stdout.startsWith('{'), `knip says: ${ran.stdout}${ran.stderr}`)
  assert.deepEqual(beyondExceptions(unusedOf(JSON.parse(ran.stdout)), UNUSED_EXPORTS), [])
})

type KnipReport = { readonly issues: ReadonlyArray<Readonly<Record<string, unknown>>> }

/** What `knip` reports; each kind of issue is a list of names, with the line where it has one. */
function unusedOf({ issues }: KnipReport): Finding[] {
  return issues.flatMap((issue) =>
    Object.entries(issue)
      .filter(([, names]) => Array.isArray(names))
      .flatMap(([kind, names]) =>
        (names as Array<{ name: string; line?: number }>).map(({ name, line = 1 }) => ({
          name: kind === 'files' ? name : `${issue.file} ${name}`,
          count: 1,
          message: `${issue.file}:${line} ${name} is of no use to others (${kind}): take it out, or its export`,
        })),
      ),
  )
}

/** Lines of code that do nothing. */
function lines(count: number): string {
  return '  run()\n'.repeat(count)
}

test('the rules find what they are for, and nothing else', () => {
  const found = (text: string, path = 'a.ts') => ({
    files: longFiles(new Map([[path, text]])).map(({ count }) => count),
    functions: longFunctions(new Map([[path, text]])).map(({ name, count }) => [name, count]),
    lines: longLines(new Map([[path, text]])).map(({ message }) => message.split(' ')[0]),
  })
  const none = { files: [], functions: [], lines: [] }
  const inner = `function outer() {\n  const f = () => {\n${lines(58)}  }\n${lines(40)}}\n`
  assert.deepEqual(found(inner), none)
  assert.deepEqual(found(`function outer() {\n${lines(58)}}\n`), none)
  assert.deepEqual(found(`function outer() {\n${lines(59)}}\n`).functions, [['a.ts outer', 61]])
  assert.deepEqual(found(`test('a scene', () => {\n${lines(59)}})\n`).functions, [
    ['a.ts a scene', 61],
  ])
  assert.deepEqual(found(lines(400)), none)
  assert.deepEqual(found(lines(401)).files, [401])
  assert.deepEqual(found(lines(401), 'a.gen.ts'), none)
  const long = 'a '.repeat(61)
  assert.deepEqual(found(`const a = '${long}'\n`), none)
  assert.deepEqual(found(`\n  // ${long}\n`).lines, ['a.ts:2'])
  assert.deepEqual(found(`/** ${long} */\n`).lines, ['a.ts:1'])
  assert.deepEqual(found(`${long}\n`, 'a.md').lines, ['a.md:1'])
  assert.deepEqual(found(`| ${long}\n\`\`\`\n${long}\n\`\`\`\n`, 'a.md'), none)
  assert.deepEqual(found(`[a](https://${'a'.repeat(120)})\n`, 'a.md'), none)
})

test('a folder is full with 20 files that are no tests', () => {
  const folder = (count: number) =>
    new Map(Array.from({ length: count }, (_, number) => [`a/${number}.ts`, lines(1)]))
  const full = folder(20).set('a/0.test.ts', lines(1)).set('a/page.md', '')
  assert.deepEqual(fullFolders(full), [])
  assert.deepEqual(fullFolders(full.set('a/b/0.ts', '')), [])
  assert.deepEqual(
    fullFolders(folder(21)).map(({ name, count }) => [name, count]),
    [['a/', 21]],
  )
})

test('words are found as words, and subjects by their length and room', () => {
  const words = [{ word: 'heed', instead: 'say "react"' }]
  const said = (text: string) =>
    unusedWords(new Map([['a.ts', text]]), words).map(({ message }) => message)
  assert.deepEqual(said('x\nthis.#heed()'), ['a.ts:2 says "heed": say "react"'])
  assert.deepEqual(said('heeded, unheed'), [])
  assert.equal(problemOfSubject('parser: find VALUES'), undefined)
  assert.equal(problemOfSubject(`parser: ${'a'.repeat(64)}`), undefined)
  assert.match(problemOfSubject(`parser: ${'a'.repeat(65)}`) ?? '', /73 characters, above 72/)
  assert.match(problemOfSubject('Find VALUES') ?? '', /does not begin with a room/)
})

test('an exception allows what it names and no more, and has to be needed', () => {
  const finding = (name: string, count: number) => ({ name, count, message: `${name} ${count}` })
  const found = [finding('a', 5), finding('b', 7)]
  assert.deepEqual(beyondExceptions(found, { a: 5, b: 7 }), [])
  assert.deepEqual(beyondExceptions(found, { a: 5, b: 6 }), ['b 7'])
  assert.deepEqual(beyondExceptions(found, { a: 5 }), ['b 7'])
  assert.match(beyondExceptions([], { a: 5 }).join(), /^"a" is no longer needed as an exception/)
})
