// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { parse } from 'yaml'
import { COMMANDS } from '../cli/commands.ts'
import { isLastFrame } from '../client-sdk/socket/socket-frame.ts'
import { KEYWORDS } from '../console/query/dialect-words.ts'
import { KEYWORDS as PARSED_WORDS } from '../parser/grammar/keywords.ts'
import { insteadOfFunction } from '../parser/syntax-error/foreign-functions.ts'
import { FUNCTION_NAMES, PLAN_ERRORS } from '../planner/planner.ts'
import { loadContract } from '../server/doors/http/openapi/contract.ts'
import { type JsonObject, objectAt } from '../server/doors/http/openapi/document.ts'
import { CLIENT_FRAMES } from '../server/doors/websocket/client-frame.ts'
import { CLOSE_CODES } from '../server/doors/websocket/close-codes.ts'
import { ERROR_CODES } from '../server/errors/error-codes.ts'
import { environmentName, FLAG_NAMES, FLAGS } from '../server/flags.ts'
import { ALL_LIMITS } from '../server/limits.ts'
import { STORAGE_ERRORS } from '../storage/storage.ts'
import { MUTANTS } from './simulation/mutants/mutants.ts'

function readText(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
}

const openApi = loadContract().document

test('the server reads what openapi.yaml says: `npm run generate` was run after its last change', () => {
  assert.deepEqual(openApi.json, parse(readText('openapi.yaml')))
})

/** The rows of the document's tables whose first cell is code, without its backticks. */
function tableRows(path: string): string[][] {
  return rowsOf(readText(path))
}

function rowsOf(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .slice(1, -1)
        .split(' |')
        .map((cell) => cell.trim().replaceAll('`', '')),
    )
}

/** The same of one section. */
function rowsIn(path: string, heading: string): string[][] {
  const section = readText(path)
    .split(/^## /m)
    .find((text) => text.startsWith(`${heading}\n`))
  return rowsOf(section ?? '')
}

test('every error code is in docs/errors.md with its status and whether it is retryable', () => {
  const documented = tableRows('docs/errors.md')
    .filter((cells) => cells.length === 4)
    .map(([code, status, retryable]) => [code, Number(status), retryable])
  const known = Object.entries(ERROR_CODES).map(([code, { status, retryable }]) => [
    code,
    status,
    retryable ? 'yes' : 'no',
  ])
  assert.deepEqual(documented.toSorted(), known.toSorted())
})

test('every error code is in openapi.yaml, and none that does not exist', () => {
  const [closed] = objectAt(openApi.json, '#/components/schemas/ErrorCode').anyOf as JsonObject[]
  const declared = closed?.enum as string[]
  assert.deepEqual(declared.toSorted(), Object.keys(ERROR_CODES).toSorted())
})

test('the description of each error answer in openapi.yaml names codes of its status', () => {
  const answers = objectAt(openApi.json, '#/components/responses')
  const statuses: Record<string, number[]> = {
    Unauthenticated: [401],
    BadRequest: [400],
    Forbidden: [403],
    NotFound: [404],
    Conflict: [409],
    Gone: [410],
    PreconditionFailed: [412],
    LimitExceeded: [413],
    UriTooLong: [414],
    UnsupportedMediaType: [415],
    WrongGateway: [421],
    IdempotencyKeyReused: [422],
    UpgradeRequired: [426],
    ClientOverloaded: [429],
    Internal: [500],
    Unavailable: [503],
    Timeout: [504],
    DiskFull: [507],
  }
  assert.deepEqual(Object.keys(answers), Object.keys(statuses))
  for (const [name, status] of Object.entries(statuses)) {
    const words = String((answers[name] as JsonObject).description).match(/`\w+`/g) ?? []
    const named = words
      .map((word) => word.slice(1, -1))
      .filter((word) => Object.hasOwn(ERROR_CODES, word))
    const expected = Object.entries(ERROR_CODES)
      .filter(([code, entry]) => status.includes(entry.status) && code !== 'not_found')
      .map(([code]) => code)
    assert.deepEqual(named.toSorted(), expected.toSorted(), name)
  }
})

/** What stops the start of the server, or becomes another code on its way to the client. */
const NEVER_ANSWERED = [
  'backup_unusable',
  'clock_not_plausible',
  'closed',
  'data_directory_locked',
  'data_directory_unusable',
  'invalid_definition',
]

test('the server has a status for every error of the rooms below, and agrees on retryable', () => {
  for (const [code, { retryable }] of Object.entries(STORAGE_ERRORS)) {
    if (NEVER_ANSWERED.includes(code)) continue
    assert.equal(ERROR_CODES[code as keyof typeof ERROR_CODES]?.retryable, retryable, code)
  }
  for (const code of Object.keys(PLAN_ERRORS)) {
    assert.equal(ERROR_CODES[code as keyof typeof ERROR_CODES]?.retryable, false, code)
  }
})

test('every limit is in docs/limits.md with its figure', () => {
  const documented = tableRows('docs/limits.md').map(([name, figure]) => [
    name,
    Number(figure?.replaceAll(',', '')),
  ])
  assert.deepEqual(documented.toSorted(), Object.entries(ALL_LIMITS).toSorted())
})

test('every flag is in docs/configuration.md with its environment name and default', () => {
  const documented = tableRows('docs/configuration.md').map((cells) => cells.slice(0, 3))
  const known = FLAG_NAMES.map((name) => [`--${name}`, environmentName(name), FLAGS[name].default])
  assert.deepEqual(documented.toSorted(), known.toSorted())
})

/** Of a server they are about the one that it follows. */
function isOwn(flag: string): boolean {
  return flag === 'follow' || flag === 'token-file'
}

test('every command is in docs/commands.md, with the flags that are its own', () => {
  const [, ...sections] = readText('docs/commands.md').split(/^## percolite /m)
  const documented = sections.map((section) => [
    section.slice(0, section.indexOf('\n')),
    rowsOf(section).map((cells) => cells.slice(0, 3)),
  ])
  const known = COMMANDS.map(({ name, flags, fromEnvironment }) => [
    name,
    Object.entries(flags)
      // Those that a server has too stand in its table, but for those that mean something else there.
      .filter(([flag]) => !Object.hasOwn(FLAGS, flag) || (isOwn(flag) && name !== 'serve'))
      .map(([flag, { default: text }]) => [
        `--${flag}`,
        fromEnvironment.includes(flag) ? environmentName(flag) : '',
        text,
      ]),
  ])
  assert.deepEqual(Object.fromEntries(documented), Object.fromEntries(known))
})

test('the container and the unit of systemd name flags that there are', () => {
  const text = ['Dockerfile', 'percolite.service']
    .map((name) => readText(`deploy/${name}`))
    .join('\n')
  const served = /"serve".*$/m.exec(text)?.[0] ?? ''
  const flags = [...served.matchAll(/--([a-z-]+)/g)].map(([, name = '']) => name)
  const names = text.match(/PERCOLITE_[A-Z_]+/g) ?? []
  assert.ok(flags.length > 5 && names.length > 1)
  for (const flag of flags) assert.ok(Object.hasOwn(FLAGS, flag), flag)
  const known = new Set(FLAG_NAMES.map(environmentName))
  for (const name of names) assert.ok(known.has(name), name)
})

test('every frame of a client is in docs/websocket-protocol.md, and no other one', () => {
  const documented = rowsIn('docs/websocket-protocol.md', 'Frames of the client')
  assert.deepEqual(documented.map(([name]) => name).toSorted(), CLIENT_FRAMES.toSorted())
})

test('the client knows after which frames of the server nothing more comes', () => {
  for (const [type = '', , meaning] of rowsIn(
    'docs/websocket-protocol.md',
    'Frames of the server',
  )) {
    assert.equal(isLastFrame({ type }), meaning?.startsWith('the last frame of'), type)
  }
})

test('every close code of a socket is in docs/websocket-protocol.md', () => {
  const codes = readText('docs/websocket-protocol.md')
    .split('\n')
    .flatMap((line) => /^\| (\d{4}) \|/.exec(line)?.[1] ?? [])
  const known = ['1000', ...Object.values(CLOSE_CODES).map(String)]
  assert.deepEqual(codes.toSorted(), known.toSorted())
})

test('every function is in the table of docs/dialect.md, and no other one', () => {
  const documented = rowsIn('docs/dialect.md', 'Functions and operators').flatMap(([cell = '']) => {
    const calls = [...cell.matchAll(/\b([a-z_]+)\(/g)].map(([, name]) => name)
    // Names without their arguments follow a call of the same ones.
    const rest = calls.length > 0 ? cell.slice(cell.lastIndexOf(')')) : ''
    return [...calls, ...(rest.match(/[a-z]+/g) ?? [])]
  })
  assert.deepEqual([...new Set(documented)].toSorted(), FUNCTION_NAMES.toSorted())
})

test('no function is said to be another one here', () => {
  assert.deepEqual(
    FUNCTION_NAMES.filter((name) => insteadOfFunction(name) !== undefined),
    [],
    'take it out of parser/syntax-error/foreign-functions.ts',
  )
})

test('every operation is in docs/http-api.md', () => {
  const documented = tableRows('docs/http-api.md')
    .map(([request]) => request ?? '')
    .filter((request) => /^(GET|POST|PUT|PATCH|DELETE) /.test(request))
  const declared = openApi.operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  assert.deepEqual(documented.toSorted(), declared.toSorted())
})

test('every command that tests is in the table of docs/testing.md', () => {
  const { scripts } = JSON.parse(readText('package.json'))
  const tests = Object.keys(scripts).filter((name) => name.startsWith('test:'))
  const documented = tableRows('docs/testing.md').flatMap(
    ([command]) => /^npm run (test:\w+)/.exec(command ?? '')?.[1] ?? [],
  )
  assert.deepEqual([...new Set(documented)].toSorted(), tests.toSorted())
})

test('every planted bug is in docs/testing.md, and none that does not exist', () => {
  const page = readText('docs/testing.md')
  const [, section = ''] = /\n## Planted bugs\n(.*?)\n## /s.exec(page) ?? []
  // The names stand in brackets, several separated by commas.
  const documented = [...section.matchAll(/\((`\w+`(?:, `\w+`)*)\)/g)].flatMap(([, names = '']) =>
    names.split(', ').map((name) => name.slice(1, -1)),
  )
  const planted = MUTANTS.map(({ name }) => name)
  assert.deepEqual([...new Set(documented)].toSorted(), planted.toSorted())
})

test('docs/security.md names a test for each threat, which is there under that name', () => {
  const rows = [
    ...readText('docs/security.md').matchAll(/^\| (.+) \| `([\w/.-]+\.test\.ts)`: (.+) \|$/gm),
  ]
  assert.ok(rows.length > 30)
  for (const [, threat, file = '', name = ''] of rows) {
    assert.ok(readText(file).includes(name), `${threat}: ${file} has no test ${name}`)
  }
})

test('the editor of the console has a colour for every keyword of the parser, and for no other word', () => {
  const words = PARSED_WORDS.map(({ LABEL, name }) => (LABEL ?? name).toLowerCase())
  assert.deepEqual(KEYWORDS.split(' ').toSorted(), words.toSorted())
})
