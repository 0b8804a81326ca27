// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises'
import { type Client, DatabaseError } from 'pg'
import type { NativeTransactions, PerformedName } from '../transactions/all-transactions.ts'
import type { TradeOrderResult } from '../transactions/trade-order.ts'
import { postgresAbort } from './postgres-errors.ts'

// One function of PL/pgSQL for each transaction: its input is one JSON text, and so is its answer.
// What the other engines' steps read without answering it goes to the client as `details`.

const FILES = [
  'closed-holdings',
  'trade-status',
  'market-watch',
  'security-detail',
  'customer-position',
  'trade-order',
  'trade-result',
  'trade-lookup',
  'broker-volume',
  'trade-update',
  'market-feed',
]

const FUNCTIONS = {
  'Trade-Status': 'trade_status',
  'Market-Watch': 'market_watch',
  'Security-Detail': 'security_detail',
  'Customer-Position': 'customer_position',
  'Trade-Order': 'trade_order',
  'Trade-Result': 'trade_result',
  'Trade-Lookup': 'trade_lookup',
  'Broker-Volume': 'broker_volume',
  'Trade-Update': 'trade_update',
  'Market-Feed': 'market_feed',
} as const satisfies Partial<Record<PerformedName, string>>

type FunctionName = (typeof FUNCTIONS)[keyof typeof FUNCTIONS]

/** By which the function of Trade-Order says that the customer takes the order back. */
const TAKEN_BACK = 'RB001'

/** Makes the functions in a database that has the tables. */
export async function createNativeFunctions(client: Pick<Client, 'query'>): Promise<void> {
  for (const file of FILES) {
    const url = new URL(`./postgres-native/${file}.sql`, import.meta.url)
    await client.query(await readFile(url, 'utf8'))
  }
}

/** The functions by the names of the transactions, each a transaction of its own on this connection. */
export async function nativeTransactions(client: Client): Promise<NativeTransactions> {
  // As the transactions that run in steps.
  await client.query("SET default_transaction_isolation = 'repeatable read'")
  const natives = Object.entries(FUNCTIONS).map(([name, called]) => {
    return [name, async (input: unknown) => await call(client, called, input)] as const
  })
  return {
    ...(Object.fromEntries(natives) as NativeTransactions),
    'Trade-Order': (input) =>
      call<TradeOrderResult>(client, FUNCTIONS['Trade-Order'], input).catch(takenBack),
    'Trade-Result': (input) => callSerializable(client, FUNCTIONS['Trade-Result'], input),
  }
}

/** One statement, which is also the transaction. */
async function call<Answer>(client: Client, name: FunctionName, input: unknown): Promise<Answer> {
  const query = { name, text: `SELECT * FROM ${name}($1)`, values: [JSON.stringify(input)] }
  try {
    const { rows } = await client.query<{ answer: Answer }>(query)
    return answerOf(name, rows)
  } catch (error) {
    throw postgresAbort(error, 'commit')
  }
}

/** In one message, which therefore has no parameters; the function's plans are kept all the same. */
async function callSerializable<Answer>(
  client: Client,
  name: FunctionName,
  input: unknown,
): Promise<Answer> {
  const select = `SELECT * FROM ${name}(${client.escapeLiteral(JSON.stringify(input))})`
  try {
    const results = await client.query(`BEGIN ISOLATION LEVEL SERIALIZABLE; ${select}; COMMIT`)
    const [, { rows }] = results as unknown as [unknown, { rows: { answer: Answer }[] }]
    return answerOf(name, rows)
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw postgresAbort(error, 'commit')
  }
}

function answerOf<Answer>(name: string, [row]: readonly { readonly answer: Answer }[]): Answer {
  if (row === undefined) throw new Error(`${name} answered nothing`)
  return row.answer
}

function takenBack(error: unknown): { readonly kind: 'rolledBack' } {
  if (error instanceof DatabaseError && error.code === TAKEN_BACK) return { kind: 'rolledBack' }
  throw error
}
