// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises'
import { type Client, DatabaseError } from 'pg'
import { MIX_PERCENT, TRANSACTION_NAMES } from '../driver/transaction-names.ts'
import type { NativeTransactions, PerformedName } from '../transactions/all-transactions.ts'
import type { TradeOrderResult } from '../transactions/trade-order.ts'
import { postgresAbort } from './postgres-errors.ts'

// One function of PL/pgSQL for each transaction of the mix: its input is one JSON text, and so is its answer.
// What the other engines' steps read without answering it goes to the client as `details`.

const NAMES = TRANSACTION_NAMES.filter((name) => MIX_PERCENT[name] !== undefined)

/** By which the function of Trade-Order says that the customer takes the order back. */
const TAKEN_BACK = 'RB001'

/** Makes the functions in a database that has the tables. */
export async function createNativeFunctions(client: Pick<Client, 'query'>): Promise<void> {
  for (const name of ['closed-holdings', ...NAMES]) {
    const url = new URL(`./postgres-native/${name.toLowerCase()}.sql`, import.meta.url)
    await client.query(await readFile(url, 'utf8'))
  }
}

/** The functions by the names of the transactions, each a transaction of its own on this connection. */
export async function nativeTransactions(client: Client): Promise<NativeTransactions> {
  // As the transactions that run in steps.
  await client.query("SET default_transaction_isolation = 'repeatable read'")
  const natives = NAMES.map((name) => {
    return [name, (input: unknown) => call(client, name, input)] as const
  })
  return {
    ...(Object.fromEntries(natives) as NativeTransactions),
    'Trade-Order': (input) => call<TradeOrderResult>(client, 'Trade-Order', input).catch(takenBack),
    'Trade-Result': (input) => callSerializable(client, 'Trade-Result', input),
  }
}

/** One statement, which is also the transaction. */
async function call<Answer>(client: Client, name: PerformedName, input: unknown): Promise<Answer> {
  const query = {
    name,
    text: `SELECT * FROM ${functionOf(name)}($1)`,
    values: [JSON.stringify(input)],
  }
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
  name: PerformedName,
  input: unknown,
): Promise<Answer> {
  const select = `SELECT * FROM ${functionOf(name)}(${client.escapeLiteral(JSON.stringify(input))})`
  try {
    const results = await client.query(`BEGIN ISOLATION LEVEL SERIALIZABLE; ${select}; COMMIT`)
    const [, { rows }] = results as unknown as [unknown, { rows: { answer: Answer }[] }]
    return answerOf(name, rows)
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw postgresAbort(error, 'commit')
  }
}

/** `trade_order` of `Trade-Order`. */
function functionOf(name: PerformedName): string {
  return name.toLowerCase().replaceAll('-', '_')
}

function answerOf<Answer>(name: string, [row]: readonly { readonly answer: Answer }[]): Answer {
  if (row === undefined) throw new Error(`${name} answered nothing`)
  return row.answer
}

function takenBack(error: unknown): { readonly kind: 'rolledBack' } {
  if (error instanceof DatabaseError && error.code === TAKEN_BACK) return { kind: 'rolledBack' }
  throw error
}
