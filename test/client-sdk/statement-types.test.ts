// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOf } from './compiled-program.ts'

const ABOVE = `
import { connect } from './client.ts'
import { useLive } from './react/use-live.ts'
type Account = { id: string; balance: number }
type Schema = { account: { row: Account; key: [id: string]; optional: never } }
type Statements = {
  'SCAN count(*) AS n FROM account': { row: { n: number }; params: readonly [] }
  'GET balance AS b FROM account WHERE id = $1': { row: { b: number }; params: readonly [string | null] }
  'SCAN id AS i FROM account WHERE id > :first': { row: { i: string }; params: { readonly first: string | null } }
  'SCAN a.id, o.n FROM account AS a LOOKUP owner AS o ON id = a.owner ORDER BY o.n LIMIT 3': { row: { id: string; n: number }; params: readonly [] }
  'DELETE FROM account WHERE id = $1': { row: never; params: readonly [string | null] }
}
const db = connect<Schema, Statements>()
const only = connect<object, Statements>()
const plain = connect()
async function generic<R>(sql: string) { return (await plain.query<R>(sql)).rows }
export { db, generic, only, plain, useLive }
`

const JOINED =
  "'SCAN a.id, o.n FROM account AS a LOOKUP owner AS o ON id = a.owner ORDER BY o.n LIMIT 3'"

const RIGHT = `
(await db.query('SCAN count(*) AS n FROM account')).rows[0]?.n.toFixed()
(await db.query('SCAN count(*) AS n FROM account', [], { maxRows: 1 })).rows[0]?.n.toFixed()
(await db.query('GET balance AS b FROM account WHERE id = $1', ['bob'])).rows[0]?.b.toFixed()
for await (const { i } of db.scan('SCAN id AS i FROM account WHERE id > :first', { first: 'a' })) i.at(0)
for await (const rows of db.live('SCAN id AS i FROM account WHERE id > :first', { first: 'a' })) rows[0]?.i.at(0)
for await (const event of db.subscribe('SCAN count(*) AS n FROM account')) event.kind.at(0)
for await (const event of db.subscribe('SCAN count(*) AS n FROM account')) if (event.kind === 'patch') event.splice[0]?.[2][0]?.n.toFixed()
for await (const event of db.subscribe('SCAN count(*) AS n FROM account', [], { mode: 'result' })) if (event.kind === 'rows') event.rows[0]?.n.toFixed()
for await (const event of db.subscribe(${JOINED}, undefined, { mode: 'result' })) if (event.kind === 'patch') event.splice.flatMap(([at, deleted, rows]) => rows.map(({ id, n }) => id.at(at + deleted + n)))
for await (const event of db.subscribe('SCAN id AS i FROM account WHERE id > :first', { first: 'a' }, { mode: 'result', since: 1 })) if (event.kind === 'rows') event.rows[0]?.i.at(0)
for await (const event of db.subscribe('SCAN id AS i FROM account WHERE id > :first', { first: 'a' }, { mode: 'rows', snapshot: true })) if (event.kind === 'rows') event.rows[0]?.row.i.at(0)
for await (const event of db.subscribe<{ m: number }>('SCAN max(balance) AS m FROM account', [], { mode: 'result' })) if (event.kind === 'rows') event.rows[0]?.m.toFixed()
for await (const event of plain.subscribe<{ m: number }>('SCAN max(balance) AS m FROM account')) if (event.kind === 'rows') event.rows[0]?.row.m.toFixed()
for await (const rows of db.live(${JOINED})) rows[0]?.n.toFixed()
useLive(db, ${JOINED}).rows?.[0]?.n.toFixed()
await db.transaction(async (tx) => (await tx.query('GET balance AS b FROM account WHERE id = $1', ['bob'])).rows[0]?.b.toFixed())
await db.transaction(async (tx) => (await tx.query('GET * FROM account WHERE id = $1', ['bob'])).rows[0]?.balance.toFixed())
await using begun = await db.begin(); for await (const { i } of begun.scan('SCAN id AS i FROM account WHERE id > :first', { first: 'a' })) i.at(0)
useLive(db, 'SCAN id AS i FROM account WHERE id > :first', { first: 'a' }).rows?.[0]?.i.at(0)
(await db.query('SCAN * FROM account')).rows[0]?.balance.toFixed()
(await db.query<{ m: number }>('SCAN max(balance) AS m FROM account')).rows[0]?.m.toFixed()
(await only.query('SCAN count(*) AS n FROM account')).rows[0]?.n.toFixed()
(await plain.query('SCAN count(*) AS n FROM account')).rows[0]?.n
await generic<{ n: number }>('SCAN count(*) AS n FROM account')
await db.table('account').get('bob')
`

/** One line each, and what the compiler says of it. */
const WRONG: ReadonlyArray<readonly [line: string, message: RegExp]> = [
  ["(await db.query('SCAN count(*) AS n FROM account')).rows[0]?.m", /'m' does not exist/],
  ["await db.query('GET balance AS b FROM account WHERE id = $1')", /Expected|not assignable/],
  ["await db.query('GET balance AS b FROM account WHERE id = $1', [7])", /not assignable/],
  ["await db.query('GET balance AS b FROM account WHERE id = $1', ['a', 'b'])", /not assignable/],
  ["await db.query('SCAN count(*) AS n FROM account', ['a'])", /not assignable/],
  [
    "db.scan('SCAN id AS i FROM account WHERE id > :first', { last: 'a' })",
    /'last' does not exist|not assignable/,
  ],
  [
    "db.live('SCAN id AS i FROM account WHERE id > :first', ['a'])",
    /not assignable|does not exist/,
  ],
  [
    "(await db.query('DELETE FROM account WHERE id = $1', ['a'])).rows[0]?.id",
    /'id' does not exist/,
  ],
  [
    "(await db.query('SCAN max(balance) AS m FROM account')).rows[0]?.m",
    /unknown|'m' does not exist/,
  ],
  ["(await db.query('SCAN 1 AS o FROM other' as string)).rows[0]?.o", /unknown|'o' does not exist/],
  ["(await only.query('SCAN * FROM account')).rows[0]?.id", /unknown|'id' does not exist/],
  [
    "await db.transaction(async (tx) => tx.query('GET balance AS b FROM account WHERE id = $1', [7]))",
    /not assignable/,
  ],
  [
    "useLive(db, 'SCAN id AS i FROM account WHERE id > :first', { first: 'a' }).rows?.[0]?.x",
    /'x' does not exist/,
  ],
  [
    `for await (const event of db.subscribe(${JOINED}, [], { mode: 'result' })) if (event.kind === 'rows') event.rows[0]?.row`,
    /'row' does not exist/,
  ],
  [
    `for await (const event of db.subscribe(${JOINED}, [], { mode: 'result' })) if (event.kind === 'commit') event.kind`,
    /no overlap/,
  ],
  [`db.subscribe(${JOINED}, ['a'], { mode: 'result' })`, /not assignable|No overload/],
  ["connect<Schema, { 'SCAN * FROM account': { row: Account } }>()", /'params' is missing/],
]

test('a program whose statements are known is compiled, with the rows that they have', () => {
  const lines = RIGHT.trim().split('\n')
  assert.deepEqual(
    problemsOf(ABOVE, lines).map(({ line, words }) => `${lines[line]}: ${words}`),
    [],
  )
})

test('a column, a parameter or a text that is not of the statements is an error at its line', () => {
  const problems = problemsOf(
    ABOVE,
    WRONG.map(([line]) => line),
  )
  for (const [index, [line, message]] of WRONG.entries()) {
    const words = problems.filter((one) => one.line === index).map((one) => one.words)
    assert.match(words.join('\n'), message, line)
  }
  assert.ok(problems.every(({ line }) => line >= 0 && line < WRONG.length))
})

test('what is wrong is reported at the parameter that it is wrong with', () => {
  const get = "'GET balance AS b FROM account WHERE id = $1'"
  const scan = "'SCAN id AS i FROM account WHERE id > :first'"
  const methods = ['query', 'scan', 'page', 'subscribe', 'live'].map((name) => `db.${name}(`)
  const lines = [...methods, 'tx.query(', 'tx.scan('].flatMap((call) => [
    `${call}${get}, [7])`,
    `${call}${scan}, { frist: 'a' })`,
    `${call}${scan}, {})`,
  ])
  const problems = problemsOf(`${ABOVE}export const tx = await db.begin()\n`, lines)
  assert.deepEqual(
    problems.map(({ line, at }) => [lines[line], at]),
    lines.map((line, index) => [line, ['7', 'frist', '{}'][index % 3]]),
  )
})
