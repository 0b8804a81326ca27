// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { readSourceTree } from './source-file.ts'
import { findRuleBreaks } from './source-rules.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const SPDX = '// SPDX-License-Identifier: Apache-2.0\n'

test('the imports of this tree follow the arrows of the architecture', async () => {
  const tree = await readSourceTree(root, [
    ...['parser', 'planner', 'storage', 'engines', 'server', 'client-sdk', 'cli', 'console'],
    ...['examples', 'bench', 'test', 'tools'],
  ])
  assert.ok(tree.size > 20, 'the sources are found')
  assert.deepEqual(findRuleBreaks(tree), [])
})

/** What the checker says of one small tree; each file gets its SPDX line unless it is `bare`. */
function breaksOf(sources: Record<string, string>, bare = false): string[] {
  return findRuleBreaks(
    new Map(Object.entries(sources).map(([path, text]) => [path, bare ? text : SPDX + text])),
  )
}

const BAD_TREES: ReadonlyArray<readonly [string, Record<string, string>, RegExp]> = [
  [
    'the parser imports storage',
    { 'parser/a.ts': "import '../storage/storage.ts'", 'storage/storage.ts': '' },
    /^parser\/a\.ts:2 imports storage\/storage\.ts: no arrow leads from parser/,
  ],
  [
    'the parser uses a package of another room',
    { 'parser/a.ts': "import fastify from 'fastify'" },
    /it belongs to/,
  ],
  [
    'the planner takes a value from the AST',
    { 'planner/a.ts': "import { kinds } from '../parser/ast.ts'", 'parser/ast.ts': '' },
    /only types may be taken/,
  ],
  [
    'the planner goes past the door of storage, for a type only',
    {
      'planner/a.ts': "import type { Lock } from '../storage/transactions/lock.ts'",
      'storage/transactions/lock.ts': '',
    },
    /no arrow leads from planner/,
  ],
  [
    'a type is imported inline past the door',
    {
      'server/a.ts': "let lock: import('../storage/transactions/lock.ts').Lock",
      'storage/transactions/lock.ts': '',
    },
    /no arrow leads from server/,
  ],
  [
    'a file is imported on the fly past the door',
    {
      'server/a.ts': "await import('../storage/transactions/lock.ts')",
      'storage/transactions/lock.ts': '',
    },
    /no arrow leads from server/,
  ],
  ['an import hides its name', { 'planner/a.ts': 'await import(name)' }, /\(computed\)/],
  [
    'a worker is started in another room',
    {
      'server/a.ts': "new Worker(new URL('../storage/tables/b.ts', import.meta.url))",
      'storage/tables/b.ts': '',
    },
    /no arrow leads from server/,
  ],
  [
    'the cell store knows transactions',
    {
      'storage/cells/a.ts': "export type { Lock } from '../transactions/lock.ts'",
      'storage/transactions/lock.ts': '',
    },
    /transactions does not lie below cells/,
  ],
  [
    'tables know observers',
    {
      'storage/tables/a.ts': "import '../observers/b.ts'",
      'storage/observers/b.ts': '',
    },
    /observers does not lie below tables/,
  ],
  [
    'the foundation imports a layer above',
    {
      'storage/limits.ts': "import './transactions/oracle/a.ts'",
      'storage/transactions/oracle/a.ts': '',
    },
    /transactions does not lie below limits\.ts/,
  ],
  [
    'the records of a transaction know its buffer',
    {
      'storage/transactions/records/a.ts': "import type { B } from '../buffer/b.ts'",
      'storage/transactions/buffer/b.ts': '',
    },
    /buffer does not lie below records/,
  ],
  [
    'the protocol of many processes knows that of one',
    {
      'storage/transactions/percolator/a.ts': "import '../one-process/latches/b.ts'",
      'storage/transactions/one-process/latches/b.ts': '',
    },
    /one-process does not lie below percolator/,
  ],
  [
    'a part of the protocol knows the transaction',
    {
      'storage/transactions/one-process/a.ts': "import '../transaction.ts'",
      'storage/transactions/transaction.ts': '',
    },
    /transaction\.ts does not lie below one-process/,
  ],
  [
    'latches know what they are used for',
    {
      'storage/transactions/one-process/latches/a.ts': "import '../embedded-context.ts'",
      'storage/transactions/one-process/embedded-context.ts': '',
    },
    /embedded-context\.ts does not lie below latches/,
  ],
  [
    'one engine knows the other',
    {
      'storage/cells/memory/a.ts': "import '../sqlite/b.ts'",
      'storage/cells/sqlite/b.ts': '',
    },
    /sqlite does not lie below memory/,
  ],
  [
    'a file behind the door of the redo log is known outside',
    {
      'storage/cells/sqlite/threads/a.ts': "import type { B } from '../redo/memtable.ts'",
      'storage/cells/sqlite/redo/memtable.ts': '',
    },
    /it is no door of storage\/cells\/sqlite\/redo\//,
  ],
  [
    'definitions know how they are stored',
    { 'storage/tables/a.ts': "import './bytes/b.ts'", 'storage/tables/bytes/b.ts': '' },
    /bytes does not lie below a\.ts/,
  ],
  [
    'a folder has no place',
    {
      'storage/transactions/more/a.ts': "import '../records/b.ts'",
      'storage/transactions/records/b.ts': '',
    },
    /more has no place in the order of storage\/transactions\//,
  ],
  [
    'better-sqlite3 is imported outside of its engine',
    { 'storage/cells/sqlite-store.ts': "import type Database from 'better-sqlite3'" },
    /it belongs to .*sqlite/,
  ],
  [
    'a statement knows the route that brought it',
    {
      'server/requests/statements/a.ts': "import '../../doors/http/routes/b.ts'",
      'server/doors/http/routes/b.ts': '',
    },
    /doors does not lie below requests/,
  ],
  [
    'a turn of the event loop is waited for by hand',
    {
      'planner/a.ts': "import { setImmediate } from 'node:timers/promises'; await setImmediate()",
    },
    /^planner\/a\.ts uses setImmediate: take nextTurn/,
  ],
  [
    'an answer over HTTP knows a route',
    {
      'server/doors/http/answers/a.ts': "import '../routes/b.ts'",
      'server/doors/http/routes/b.ts': '',
    },
    /http does not lie below http\/answers/,
  ],
  [
    'the SDK imports the server',
    { 'client-sdk/a.ts': "import '../server/b.ts'", 'server/b.ts': '' },
    /no arrow leads from client-sdk/,
  ],
  [
    'the SDK uses Node.js',
    { 'client-sdk/a.ts': "import 'node:fs'" },
    /client-sdk\/ may not use this package/,
  ],
  [
    'the client needs React',
    { 'client-sdk/a.ts': "import { useMemo } from 'react'" },
    /it belongs to .*client-sdk\\\/react/,
  ],
  [
    'the client needs TanStack DB',
    { 'client-sdk/a.ts': "import type { Collection } from '@tanstack/db'" },
    /it belongs to .*tanstack-db/,
  ],
  [
    'the console imports the server',
    { 'console/status/a.tsx': "import '../../server/b.ts'", 'server/b.ts': '' },
    /no arrow leads from console/,
  ],
  [
    'the console uses Node.js',
    { 'console/page/a.ts': "import 'node:fs'" },
    /console\/ may not use this package/,
  ],
  [
    'one view of the console knows another',
    { 'console/status/a.tsx': "import '../query/b.ts'", 'console/query/b.ts': '' },
    /query does not lie below status/,
  ],
  [
    'a view decides something',
    { 'console/page/a.tsx': 'export function decided() { return 1 }' },
    /^console\/page\/a\.tsx exports decided, which is no view/,
  ],
  [
    'an example reaches into the server',
    { 'examples/x/main.ts': "import '../../server/b.ts'", 'server/b.ts': '' },
    /no arrow leads from examples/,
  ],
  [
    'a benchmark reaches into the transactions',
    {
      'bench/a.ts': "import '../storage/transactions/prewrite.ts'",
      'storage/transactions/prewrite.ts': '',
    },
    /no arrow leads from bench/,
  ],
  [
    'a benchmark uses better-sqlite3 in a file that does not say so in its name',
    { 'bench/a.ts': "import Database from 'better-sqlite3'" },
    /it belongs to .*sqlite-/,
  ],
  [
    'two files import each other, for types only',
    {
      'storage/tables/a.ts': "import type { B } from './b.ts'",
      'storage/tables/b.ts': "import type { A } from './a.ts'",
    },
    /^import circle: storage\/tables\/a\.ts -> storage\/tables\/b\.ts -> storage\/tables\/a\.ts$/,
  ],
  [
    'production code imports a test',
    { 'planner/a.ts': "import './b.test.ts'", 'planner/b.test.ts': '' },
    /production code may not import it/,
  ],
  [
    'production code imports what tests share',
    { 'storage/a.ts': "import '../test/b.ts'", 'test/b.ts': '' },
    /production code may not import it/,
  ],
  [
    'production code imports a tool, for a type only',
    { 'parser/a.ts': "import type { B } from '../tools/b.ts'", 'tools/b.ts': '' },
    /production code may not import it/,
  ],
  ...['node:test', 'fast-check', 'supertest'].map(
    (name) =>
      [
        `production code uses ${name}`,
        { 'server/a.ts': `import test from '${name}'` },
        /it belongs to .*test/,
      ] as const,
  ),
  [
    'an imported file is missing',
    { 'planner/a.ts': "import './b.ts'" },
    /planner\/b\.ts, which does not exist/,
  ],
  ['a file is a drawer', { 'planner/utils.ts': '' }, /not named after one concept/],
  ['a file is called index', { 'server/routes/index.ts': '' }, /not named after one concept/],
  ['a folder is a drawer', { 'server/common/a.ts': '' }, /not named after one concept/],
  ['a file is called types', { 'parser/types.ts': '' }, /not named after one concept/],
  [
    'a list makes its generator anew each time',
    { 'planner/a.ts': 'const f = (a) => ({ *[Symbol.iterator]() { yield a } })' },
    /^planner\/a\.ts:2 makes a generator anew each time/,
  ],
  ['code is unfinished', { 'parser/a.ts': `// ${'TO'}DO: later` }, /parser\/a\.ts:2 .*unfinished/],
  ...[
    'Date.now()',
    'new Date()',
    'Math.random()',
    'performance.now()',
    'globalThis.setTimeout(f, 1)',
    'setInterval(f, 1)',
    'crypto.randomUUID()',
    'fetch(url)',
    'process.env.HOME',
    "import { setTimeout as sleep } from 'node:timers/promises'",
    "import { randomBytes } from 'node:crypto'",
  ].map(
    (code) =>
      [
        `storage does: ${code}`,
        { 'storage/transactions/a.ts': code },
        /^storage\/transactions\/a\.ts:2 uses .*, which must be handed in$/,
      ] as const,
  ),
  [
    'the SQLite engine reads more of the process than its id',
    { 'storage/cells/sqlite/threads/writer.ts': 'process.pid\nprocess.env.HOME' },
    /writer\.ts:3 uses process\.env/,
  ],
]

for (const [scenario, sources, expected] of BAD_TREES) {
  test(`the checker finds that ${scenario}`, () => {
    const breaks = breaksOf(sources)
    assert.equal(breaks.length, 1, breaks.join('\n'))
    assert.match(breaks[0] as string, expected)
  })
}

test('the checker finds a file without its SPDX line', () => {
  assert.deepEqual(breaksOf({ 'parser/a.ts': '' }, true), [
    'parser/a.ts:1 does not begin with the SPDX line',
  ])
})

test('the checker lets a good tree pass', () => {
  const breaks = breaksOf({
    'parser/ast.ts': 'export type Statement = string',
    'parser/parser.ts':
      "import { Lexer } from 'chevrotain'\nimport type { Statement } from './ast.ts'",
    'planner/planner.ts':
      "import type { Statement } from '../parser/ast.ts'\nimport { open } from '../storage/storage.ts'",
    'storage/clock.ts': 'performance.now()',
    'storage/cells/sqlite/sqlite-cell-store.ts':
      "import Database from 'better-sqlite3'\nsetImmediate(f)\nprocess.pid",
    'storage/transactions/oracle/oracle.ts':
      "import type { Clock } from '../../clock.ts'\nimport '../../cells/sqlite/sqlite-cell-store.ts'\n" +
      '// A Date in a comment, and object.process or { fetch: 1 } as a property, are no use of it.\n' +
      'const object = { fetch: 1, process: 2 }\nobject.process\nlet at: Date',
    'storage/storage.ts': "import './transactions/oracle/oracle.ts'\nimport './clock.ts'",
    'storage/transactions/oracle/oracle.test.ts': "import '../../storage.ts'\nDate.now()",
    'client-sdk/client.ts': '',
    'examples/main.ts':
      "import { connect } from '@percolite/client'\nimport 'node:fs'\n" +
      "spawn(process.execPath, [fileURLToPath(new URL('../cli/cli.ts', import.meta.url))])",
  })
  assert.deepEqual(breaks, [])
})
