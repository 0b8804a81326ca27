// SPDX-License-Identifier: Apache-2.0
import { test } from 'node:test'
import { connect, type Row, type Subscription, type SubscriptionEvent } from '../client.ts'
import type { RowOf } from './row-of.ts'

type Account = { readonly id: string; readonly balance: number; readonly open: boolean }
type Bank = {
  readonly account: { readonly row: Account }
  readonly trade: { readonly row: { readonly no: number } }
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Fails when it is compiled. */
function assertSame<_ extends true>(): void {}

test('the compiler knows the rows of statements on tables that it was told of', () => {
  assertSame<Same<RowOf<Bank, 'SCAN * FROM account'>, Account>>()
  assertSame<Same<RowOf<Bank, "GET * FROM account WHERE id = 'bob'">, Account>>()
  assertSame<
    Same<RowOf<Bank, 'SCAN id,\n  balance\nFROM account'>, Pick<Account, 'id' | 'balance'>>
  >()
  assertSame<
    Same<
      RowOf<Bank, 'GET id, balance FROM account\nWHERE id = :id'>,
      Pick<Account, 'id' | 'balance'>
    >
  >()
  assertSame<Same<RowOf<Bank, 'SCAN count(*) FROM account USE PRIMARY KEY'>, Row>>()
  assertSame<Same<RowOf<Bank, 'SCAN * FROM nothing'>, Row>>()
  assertSame<Same<RowOf<Bank, string>, Row>>()
  assertSame<Same<RowOf<object, 'SCAN * FROM account'>, Row>>()
})

test('a client that was told of tables gives their rows everywhere', () => {
  const db = connect<Bank>()
  const accounts = db.table('account')
  assertSame<
    Same<
      Awaited<ReturnType<typeof accounts.get>>,
      undefined | { readonly row: Account; readonly version: string }
    >
  >()
  const live = db.live('SCAN id FROM account USE PRIMARY KEY')
  assertSame<
    Same<Awaited<ReturnType<typeof live.next>>['value'], undefined | Array<Pick<Account, 'id'>>>
  >()
  const trades = db.subscribe('SCAN * FROM trade')
  assertSame<Same<typeof trades, Subscription<Bank['trade']['row']>>>()
  const query = () => db.query('GET balance FROM account WHERE id = $1', ['bob'])
  assertSame<Same<Awaited<ReturnType<typeof query>>['rows'], Array<Pick<Account, 'balance'>>>>()
})

test('without tables, rows are what the call says, or anything', () => {
  const db = connect()
  const told = db.subscribe<Account>('SCAN * FROM account')
  assertSame<Same<typeof told, Subscription<Account>>>()
  const untold = db.subscribe('SCAN * FROM account')
  assertSame<Same<typeof untold, Subscription<Row>>>()
  const table = db.table<Account>('account')
  assertSame<Same<Parameters<typeof table.insert>[0], Partial<Account>>>()
  type Given = SubscriptionEvent<Account>
  assertSame<Same<Extract<Given, { kind: 'rows' }>['rows'][number]['row'], Account>>()
})
