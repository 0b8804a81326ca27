// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import ts from 'typescript'
import { percolite } from '../../test/cli/percolite.ts'
import { problemsOf } from '../../test/client-sdk/compiled-program.ts'
import { startTestServer } from '../../test/server/test-server.ts'
import { testFolder } from '../../test/test-folder.ts'

const TABLES = [
  `CREATE TABLE account (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, balance INTEGER NOT NULL DEFAULT 0,
    seen TIMESTAMP, meta JSON, photo BYTES, rate REAL NOT NULL, isOpen BOOLEAN NOT NULL
  )`,
  'CREATE TABLE trade (day TIMESTAMP, no INTEGER, PRIMARY KEY (day, no DESC))',
  `CREATE TABLE "2nd table's" ("first name" TEXT, "a'b" INTEGER NOT NULL, PRIMARY KEY ("first name"))`,
  'CREATE TABLE schema (id INTEGER PRIMARY KEY)',
  'CREATE TABLE "account key" (id INTEGER PRIMARY KEY)',
]

async function scene(t: TestContext) {
  const server = await startTestServer(t)
  for (const sql of TABLES) assert.equal((await server.query(sql)).status, 200, sql)
  const { url } = await server.listen()
  const folder = await testFolder(t, 'types')
  const types = (...args: readonly string[]) => percolite(['types', url, ...args])
  return { server, url, folder, types, out: join(folder, 'db.ts') }
}

describe('percolite types', () => {
  test('writes the row, the key and the optional columns of each table', async (t) => {
    const { types } = await scene(t)
    const { code, output, errors } = await types()
    assert.deepEqual([code, errors], [0, ''])
    assert.equal(
      output,
      `// Made by percolite types. Not to be edited: make it again when the tables have changed.
export type T2ndTableS = {
  'first name': string
  'a\\'b': number
}
export type T2ndTableSKey = [string]
export type T2ndTableSTable = { row: T2ndTableS; key: T2ndTableSKey; optional: never }

export type Account = {
  id: string
  owner: string
  balance: number
  seen: string | null
  meta: unknown
  photo: Uint8Array | null
  rate: number
  isOpen: boolean
}
export type AccountKey = [id: string]
export type AccountTable = { row: Account; key: AccountKey; optional: 'balance' | 'seen' | 'meta' | 'photo' }

export type AccountKey2 = {
  id: number
}
export type AccountKey2Key = [id: number]
export type AccountKey2Table = { row: AccountKey2; key: AccountKey2Key; optional: never }

export type Schema2 = {
  id: number
}
export type Schema2Key = [id: number]
export type Schema2Table = { row: Schema2; key: Schema2Key; optional: never }

export type Trade = {
  day: string
  no: number
}
export type TradeKey = [day: string, no: number]
export type TradeTable = { row: Trade; key: TradeKey; optional: never }

export type Schema = {
  '2nd table\\'s': T2ndTableSTable
  account: AccountTable
  'account key': AccountKey2Table
  schema: Schema2Table
  trade: TradeTable
}
`,
    )
    const exact = (await types('--integers', 'bigint', '--json', 'text')).output
    assert.match(exact, /balance: bigint\n/)
    assert.match(exact, /meta: string \| null\n/)
    assert.match(exact, /TradeKey = \[day: string, no: bigint\]/)
  })

  test('needs no server where it has the migrations, and says which of them fails', async (t) => {
    const folder = await testFolder(t, 'migrations')
    const write = (name: string, text: string) => writeFile(join(folder, name), text)
    await write('2-more.sql', 'ALTER TABLE tag ADD COLUMN n INTEGER')
    await write(
      '1-first.sql',
      "CREATE TABLE tag (id TEXT PRIMARY KEY);\nINSERT INTO tag (id) VALUES ('a')",
    )
    const types = (...args: string[]) => percolite(['types', '--migrations', folder, ...args])
    const { code, output, errors } = await types()
    assert.deepEqual([code, errors], [0, ''])
    assert.match(output, /export type Tag = \{\n {2}id: string\n {2}n: number \| null\n\}\n/)
    await write('10-wrong.sql', "\nINSERT INTO tag (id) VALUES ('a')")
    const failed = await types()
    assert.deepEqual([failed.code, failed.output], [1, ''])
    assert.match(failed.errors, /^percolite: .*10-wrong\.sql:2:\d+\nERROR: {2}already_exists/)
    const both = await types('--url', 'http://127.0.0.1:9')
    assert.match(both.errors, /--migrations stands in place/)
    const none = await percolite(['types', '--migrations', join(folder, 'none')])
    assert.match(none.errors, /^percolite: --migrations .*none: there is no such folder/)
  })

  test('a check of listed values is a union, but not with a NULL, and not where more is possible', async (t) => {
    const { server, types, folder } = await scene(t)
    const sql = `CREATE TABLE job (id INTEGER PRIMARY KEY CHECK (id IN (1, 2)),
      state TEXT NOT NULL CHECK (state IN ('open', 'don''e') AND id > 0), a TEXT CHECK (a IN ('x', NULL)),
      b TEXT CHECK (b NOT IN ('x')), c TEXT CHECK (c IN ('x') OR id = 1), d TEXT CHECK (d IN ('x')))`
    assert.equal((await server.query(sql)).status, 200)
    const { output } = await types()
    const members = /export type Job = \{\n([^}]*)/
      .exec(output)?.[1]
      ?.split('\n')
      .map((line) => line.trim())
    assert.deepEqual(members?.slice(0, -1), [
      'id: 1 | 2',
      "state: 'open' | 'don\\'e'",
      ...['a: string | null', 'b: string | null', 'c: string | null'],
      "d: 'x' | null",
    ])
    assert.match((await types('--integers', 'bigint')).output, /id: 1n \| 2n\n/)
    await writeFile(
      join(folder, 'program.ts'),
      "db.query('SCAN d, id FROM job'); db.query('SCAN state AS d FROM job')",
    )
    const { output: said } = await types('--statements', join(folder, 'program.ts'))
    assert.match(said, /row: \{ d: 'x' \| null; id: 1 \| 2 \}/)
    assert.match(said, /row: \{ d: string \}/)
  })

  test('takes the types of JSON columns from a file of the user', async (t) => {
    const { types, folder } = await scene(t)
    const file = join(folder, 'json', 'types.ts')
    await mkdir(join(folder, 'json'))
    await writeFile(
      file,
      'export type Json = { account: { meta: { tags: string[] } }; other: { a: 1 } }',
    )
    const { code, errors } = await types('--json', file, '--out', join(folder, 'db.ts'))
    assert.deepEqual([code, errors], [0, ''])
    const written = await readFile(join(folder, 'db.ts'), 'utf8')
    assert.match(written, /^import type \{ Json \} from '\.\/json\/types\.ts'$/m)
    const above = `${written.replace(/import.*/, await readFile(file, 'utf8'))}
import { connect } from './client.ts'
const db = connect<Schema>()
const rows = (await db.query('GET meta FROM account WHERE id = $1', ['a'])).rows
export { rows }
`
    assert.deepEqual(problemsOf(above, ['rows[0]?.meta?.tags[0]?.at(0)']), [])
    assert.match(problemsOf(above, ['rows[0]?.meta?.tag'])[0]?.words ?? '', /'tag' does not exist/)
    assert.match((await types('--json', 'texts')).errors, /^percolite: --json texts: it is number/)
    assert.match((await types('--json', 'none.ts')).errors, /there is no such file/)
  })

  test('a DECIMAL is a string, or the class that connect makes of it, and a string in a key', async (t) => {
    const { server, types, folder } = await scene(t)
    const sql = 'CREATE TABLE price (id DECIMAL(9, 2) PRIMARY KEY, amount DECIMAL(18, 2))'
    assert.equal((await server.query(sql)).status, 200)
    assert.match((await types()).output, /Price = \{\n {2}id: string\n {2}amount: string \| null\n/)
    await writeFile(
      join(folder, 'p.ts'),
      "db.query('SCAN amount FROM price USE PRIMARY KEY WHERE amount > :a')",
    )
    const given = ['--decimal', 'Big from big.js', '--statements', join(folder, 'p.ts')]
    const { output } = await types(...given)
    assert.match(output, /^import type \{ Big as DecimalValue \} from 'big\.js'$/m)
    assert.match(
      output,
      /amount: DecimalValue \| null\n\}\nexport type PriceKey = \[id: string\]\n/,
    )
    assert.match(output, /row: \{ amount: DecimalValue \| null \}\n {4}params: .*string \| number/)
    assert.match(
      (await types('--decimal', 'big')).errors,
      /^percolite: --decimal big: it is string/,
    )
  })

  test('names the observers of a table', async (t) => {
    const { server, types } = await scene(t)
    await server.query('CREATE OBSERVER "o\'1" ON trade (no); CREATE OBSERVER two ON trade (no)')
    const { output } = await types()
    assert.match(output, /key: TradeKey; optional: never; observers: 'o\\'1' \| 'two' \}/)
  })

  test('keeps names of tables and columns within the texts that they are', async (t) => {
    const server = await startTestServer(t)
    const names = ["a'; export const x = 1 //", '\\', "\\'", '*/ `${x}`', '}']
    for (const [index, name] of names.entries()) {
      const [table, key] = [name, `k${name}`].map((each) => `"${each.replaceAll('"', '""')}"`)
      const sql = `CREATE TABLE ${table} (${key} INTEGER PRIMARY KEY, ${table} TEXT)`
      assert.equal((await server.query(sql)).status, 200, `${index}`)
    }
    const { output } = await percolite(['types', (await server.listen()).url])
    const { statements } = ts.createSourceFile('db.ts', output, ts.ScriptTarget.Latest)
    assert.deepEqual(
      new Set(statements.map(({ kind }) => kind)),
      new Set([ts.SyntaxKind.TypeAliasDeclaration]),
    )
    const gets = names.map((name) => `await db.table(${JSON.stringify(name)}).get(1)`)
    const above = `${output.replaceAll('export type', 'type')}
import { connect } from './client.ts'
const db = connect<Schema>()
export { db }
`
    assert.deepEqual(problemsOf(above, gets), [])
  })

  test('with --check tells whether the file is as it would be, and where not', async (t) => {
    const { server, types, out } = await scene(t)
    const none = await types('--out', out, '--check')
    const asked = `percolite: ${out}: there is no such file; the same call without --check makes it.\n`
    assert.deepEqual([none.code, none.errors], [1, asked])
    assert.deepEqual(await types('--out', out), { code: 0, output: '', errors: '' })
    assert.deepEqual(await types('--out', out, '--check'), { code: 0, output: '', errors: '' })
    await server.query('ALTER TABLE trade ADD COLUMN price REAL')
    const before = await readFile(out, 'utf8')
    const { code, errors } = await types('--out', out, '--check')
    const line = before.split('\n').indexOf('export type TradeKey = [day: string, no: number]')
    assert.equal(code, 1)
    assert.match(
      errors,
      new RegExp(
        `db\\.ts:${line} differs .*\\n {2}\\}\\nand would be\\n {4}price: number \\| null\\n`,
      ),
    )
    assert.equal(await readFile(out, 'utf8'), before)
    assert.equal((await types('--check')).code, 2)
  })

  test('asks for the statements of a program, and writes their rows and parameters', async (t) => {
    const { types, folder } = await scene(t)
    await mkdir(join(folder, 'src'))
    await writeFile(
      join(folder, 'src', 'program.ts'),
      `import { connect } from '@percolite/client'
await db.query('SCAN id, count(*) AS n, max(balance) AS most FROM account USE PRIMARY KEY GROUP BY id')
await tx.query<{ x: 1 }>("SET balance = $2 ON account WHERE id = $1", ['a', 1])
db.scan(\`SCAN "first name"
  FROM "2nd table's" WHERE "first name" IN :names\`, { names: [] })
await db.sql\`GET balance FROM account WHERE id = \${id}\`
db.query('SHOW TABLES')
db.query('BEGIN; COMMIT')
useLive(db, 'SCAN seen FROM account', [])
// db.query('NOTHING OF THIS')
db.query('SCAN ' + columns)
`,
    )
    const { code, output, errors } = await types('--statements', join(folder, 'src/**/*.{ts,tsx}'))
    assert.deepEqual([code, errors], [0, ''])
    assert.equal(
      output.slice(output.indexOf('export type Statements')),
      `export type Statements = {
  'SCAN "first name"\\n  FROM "2nd table\\'s" WHERE "first name" IN :names': {
    row: { 'first name': string }
    params: { readonly names: ReadonlyArray<string | null> }
  }
  'SCAN id, count(*) AS n, max(balance) AS most FROM account USE PRIMARY KEY GROUP BY id': {
    row: { id: string; n: number; most: number | null }
    params: readonly []
  }
  'SCAN seen FROM account': {
    row: { seen: string | null }
    params: readonly []
  }
  'SET balance = $2 ON account WHERE id = $1': {
    row: never
    params: readonly [string | null, number | bigint | null]
  }
  'SHOW TABLES': {
    row: unknown
    params: readonly []
  }
}
`,
    )
  })

  test('tells the file and the line of each statement that has no plan, and writes nothing', async (t) => {
    const { types, folder, out } = await scene(t)
    const program = join(folder, 'program.ts')
    await writeFile(
      program,
      "const n = 1\nawait db.query('GET balanse FROM account WHERE id = $1', [n])\nawait db.sql`DELETE FRM account`\n",
    )
    const { code, output, errors } = await types('--statements', program, '--out', out)
    assert.deepEqual([code, output], [1, ''])
    assert.match(errors, /program\.ts:2\nERROR: {2}unknown_column/)
    assert.match(errors, /program\.ts:3\nERROR: {2}syntax_error/)
    await assert.rejects(readFile(out))
    assert.equal((await types('--statements', join(folder, 'none/*.ts'))).code, 2)
  })

  test('makes wrong programs errors of the compiler', async (t) => {
    const { types, folder } = await scene(t)
    const program = join(folder, 'program.ts')
    await writeFile(program, "db.query('GET balance AS b FROM account WHERE id = $1', ['a'])\n")
    const { output } = await types('--statements', program)
    const above = `${output.replaceAll('export ', '')}
import { connect } from './client.ts'
const db = connect<Schema, Statements>()
export { db }
`
    const right = [
      "(await db.query('GET balance AS b FROM account WHERE id = $1', ['a'])).rows[0]?.b.toFixed()",
      "(await db.table('account').get('bob'))?.row.seen?.at(0)",
      `await db.table("2nd table's").insert({ 'first name': 'a', "a'b": 1 })`,
      "await db.table('account').insert({ id: 'a', owner: 'b', rate: 1, isOpen: true })",
      "await db.table('trade').get(['2026-01-31', 1])",
    ]
    assert.deepEqual(problemsOf(above, right), [])
    const wrong = [
      "(await db.query('GET balance AS b FROM account WHERE id = $1', ['a'])).rows[0]?.balance",
      "await db.query('GET balance AS b FROM account WHERE id = $1', [1])",
      "await db.query('GET balance AS b FROM account WHERE id = $1')",
      "(await db.query('SCAN 1 AS one FROM account')).rows[0]?.one",
      "await db.table('account').insert({ id: 'a', rate: 1, isOpen: true })",
      "await db.table('acount').get('a')",
      "(await db.table('account').get('bob'))?.row.seen.at(0)",
    ]
    const lines = problemsOf(above, wrong).map(({ line }) => line)
    assert.deepEqual([...new Set(lines)], [...wrong.keys()])
  })

  test('says in one line what is wrong with its files, and reads no folders', async (t) => {
    const { types, folder } = await scene(t)
    const gone = join(folder, 'none', 'db.ts')
    for (const [path, words] of [
      [folder, 'it is a folder, and a file is asked for.'],
      [gone, 'there is no such file or folder.'],
    ] as const) {
      const expected = { code: 2, output: '', errors: `percolite: --out ${path}: ${words}\n` }
      assert.deepEqual(await types('--out', path), expected)
    }
    await mkdir(join(folder, 'folder.ts'))
    await writeFile(
      join(folder, 'program.ts'),
      '\ufeffdb.query("GET id FROM account WHERE id = \'a\'")',
    )
    assert.match((await types('--statements', join(folder, '*.ts'))).output, /'GET id FROM account/)
  })

  test('ends with 3 without a connection', async () => {
    assert.equal((await percolite(['types', 'http://127.0.0.1:9'])).code, 3)
  })
})
