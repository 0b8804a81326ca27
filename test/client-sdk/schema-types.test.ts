// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOf } from './compiled-program.ts'

// Programs that are compiled and not run, each beside the SDK as a file that there is not.

const SCHEMA = `
import { connect } from './client.ts'
import { deleteMany, insertMany } from './many.ts'
import { useLive } from './react/use-live.ts'
type Account = { id: string; owner: string; balance: number; seen: string | null }
type Trade = { day: string; no: bigint; price: number }
type Schema = {
  account: { row: Account; key: [id: string]; optional: 'balance' | 'seen'; observers: 'poor' | 'rich' }
  trade: { row: Trade; key: [day: string, no: bigint]; optional: never }
}
const db = connect<Schema>()
const accounts = db.table('account')
const trades = db.table('trade')
const plain = connect()
export { accounts, db, deleteMany, insertMany, plain, trades, useLive }
`

const RIGHT = `
await accounts.get('bob')
await accounts.get(['bob'])
await accounts.get('bob', { columns: ['balance'] }).then((found) => found?.row.balance.toFixed())
await accounts.insert({ id: 'bob', owner: 'Bob' })
await accounts.insert({ id: 'bob', owner: 'Bob', balance: 1, seen: null })
await accounts.put('bob', { owner: 'Bob' })
await accounts.patch('bob', { balance: 2 }, { ifVersion: 'v1' })
await accounts.delete('bob')
for await (const { id } of accounts.rows({ columns: ['id'], order: ['id desc', '"owner" asc'] })) id.at(0)
for await (const { seen } of accounts.rows()) seen?.at(0)
await trades.get(['2026-01-31', 1n])
await trades.insert({ day: '2026-01-31', no: 1n, price: 2 })
for (const { balance } of (await db.query('GET balance FROM account WHERE id = $1', ['bob'])).rows) balance.toFixed()
useLive(db, 'SCAN * FROM account').rows?.[0]?.owner.at(0)
useLive<{ n: number }>(db, 'SCAN count(*) AS n FROM account').rows?.[0]?.n.toFixed()
await insertMany(db, 'account', [{ id: 'bob', owner: 'Bob' }])
await deleteMany(db, 'trade', [['2026-01-31', 1n]])
await insertMany(plain, 'anything', [{ any: 1 }])
(await db.page('SCAN owner FROM account', [], { size: 2 })).rows[0]?.owner.at(0)
await using poor = db.observe('poor', async (tx, { key: [id], row }) => { id.at(0); row?.owner.at(0); (await tx.query('SCAN id FROM account')).rows[0]?.id.at(0) }); poor.observer.at(0)
await using any = plain.observe<Account>('anything', (_tx, { row }) => { row?.owner.at(0) }); any.observer.at(0)
await plain.table('anything').insert({ any: 1 })
await plain.table<Account>('account').get(['bob', 2], { columns: ['whatever'] }).then((found) => found?.row.owner.at(0))
plain.table<Account>('account').rows({ order: ['whatever'] })
connect<{ account: { row: Account } }>().table('account').insert({ owner: 'Bob' })
`

/** One line each, and what the compiler says of it. */
const WRONG: ReadonlyArray<readonly [line: string, message: RegExp]> = [
  ["db.table('acount')", /"acount"' is not assignable to .*"account" \| "trade"/],
  ["db.table<Account>('acount')", /"acount"' is not assignable to .*'never'/],
  ["db.table('account' as string)", /'string' is not assignable/],
  ['await accounts.get(7)', /'number' is not assignable/],
  ["await accounts.get(['bob', 'joe'])", /not assignable/],
  ["await trades.get('2026-01-31')", /not assignable/],
  ["await trades.get([1n, '2026-01-31'])", /not assignable/],
  ["await accounts.delete(['bob', 1])", /not assignable/],
  ["await accounts.insert({ id: 'bob' })", /'owner' is missing/],
  ["await accounts.insert({ id: 'bob', owner: 'Bob', balanse: 1 })", /'balanse'.* does not exist/],
  ["await accounts.insert({ id: 'bob', owner: null })", /'null' is not assignable/],
  ["await trades.insert({ day: '2026-01-31', no: 1n })", /'price' is missing/],
  ["await accounts.put('bob', { ownr: 'Bob' })", /'ownr'.* does not exist/],
  ["await accounts.patch('bob', { balance: '2' })", /'string' is not assignable to type 'number'/],
  ["await accounts.get('bob', { columns: ['balanse'] })", /"balanse"' is not assignable/],
  ["accounts.rows({ columns: ['balanse'] })", /"balanse"' is not assignable/],
  ["accounts.rows({ order: ['balanse desc'] })", /"balanse desc"' is not assignable/],
  ["(await accounts.get('bob', { columns: ['id'] }))?.row.owner", /'owner' does not exist/],
  ["(await accounts.get('bob'))?.row.ownr", /'ownr' does not exist/],
  ["(await db.query('SCAN id FROM account')).rows[0]?.owner", /'owner' does not exist/],
  ["useLive(db, 'SCAN * FROM account').rows?.[0]?.ownr", /'ownr' does not exist/],
  ["db.observe('por', () => undefined)", /"por"' is not assignable/],
  ["db.observe('rich', (_tx, { row }) => { row?.ownr })", /'ownr' does not exist/],
  ["db.observe('rich', (_tx, { key }) => { key[1] })", /no element at index '1'/],
  ["await insertMany(db, 'acount', [])", /"acount"' is not assignable/],
  ["await insertMany(db, 'account', [{ id: 'bob' }])", /'owner' is missing/],
  ["await deleteMany(db, 'trade', ['2026-01-31'])", /not assignable/],
  ['connect<{ account: { id: string } }>()', /'row' is missing/],
  ['connect<{ account: { row: Account; key: [object] } }>()', /not assignable/],
]

test('a program that keeps to its schema is compiled, and so is one without a schema', () => {
  const lines = RIGHT.trim().split('\n')
  assert.deepEqual(
    problemsOf(SCHEMA, lines).map(({ line, words }) => `${lines[line]}: ${words}`),
    [],
  )
})

test('a table, a column, a key or a value that is not of the schema is an error at its line', () => {
  const problems = problemsOf(
    SCHEMA,
    WRONG.map(([line]) => line),
  )
  for (const [index, [line, message]] of WRONG.entries()) {
    const words = problems.filter((one) => one.line === index).map((one) => one.words)
    assert.match(words.join('\n'), message, line)
  }
  assert.ok(problems.every(({ line }) => line >= 0 && line < WRONG.length))
})
