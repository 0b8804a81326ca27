// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { SeededRandomness } from '../seeded-randomness.ts'
import type { AnswerBody } from '../server/test-server.ts'
import { type QueryClient, until } from '../standby/query-client.ts'

export const WRITERS = 16
const ACCOUNTS = 200
const OPENING = 1_000
const REFUSED_PAUSE_MS = 20
/** Shorter than some absences of the standby. */
const TIMEOUT_MS = 1_000

export const DEFINITIONS = [
  'CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)',
  'CREATE TABLE head (writer INTEGER PRIMARY KEY, n INTEGER NOT NULL)',
  'CREATE TABLE note (id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text TEXT NOT NULL)',
  'CREATE UNIQUE INDEX noteByText ON note (text)',
  'CREATE TABLE seen (note INTEGER PRIMARY KEY, runs INTEGER)',
  'CREATE OBSERVER counting ON note (text)',
  `INSERT INTO account (id, balance) VALUES ${rowsOf(0, ACCOUNTS, OPENING)}`,
  `INSERT INTO head (writer, n) VALUES ${rowsOf(-1, WRITERS, 0)}`,
]

function rowsOf(first: number, end: number, value: number): string {
  const ids = Array.from({ length: end - first }, (_, position) => first + position)
  return ids.map((id) => `(${id}, ${value})`).join(', ')
}

/** What was answered to one transaction, and how it can be sent or looked up again. */
export type Written = {
  /** The text of its note, and its idempotency key. */
  readonly key: string
  readonly sql: string
  /** Of several requests; undefined for one that is a request of its own. */
  readonly transaction?: string
  told: 'present' | 'absent' | 'either'
  id?: number
  commitTs?: number
}

/** One moment as a reader was shown it. */
export type Shown = { readonly timestamp: number; readonly heads: ReadonlyMap<number, number> }

export class SecondCopyLedger {
  readonly written: Written[] = []
  readonly #ids = new Set<number>()
  readonly refusals = new Map<string, number>()
  acknowledged = 0
  unknown = 0
  shown: Shown | undefined
  reads = 0
  #n = 0

  /** Rises with each transaction of a writer. */
  next(): number {
    this.#n += 1
    return this.#n
  }

  acknowledge(written: Written, id: number, commitTs: number): void {
    assert.ok(!this.#ids.has(id), `the number ${id} was given twice`)
    this.#ids.add(id)
    Object.assign(written, { told: 'present', id, commitTs })
    this.acknowledged += 1
  }

  refused(written: Written, { code, retryable, detail }: AnswerBody): void {
    this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1)
    written.told = code === 'commit_outcome_unknown' ? 'either' : 'absent'
    if (written.told === 'either') this.unknown += 1
    // A timeout of a statement that has not come to its commit.
    else assert.ok(retryable || code === 'statement_timeout', `${code}: ${detail}`)
  }
}

/** Gone, or it will not take the transaction now. */
type Sent = { readonly status: number; readonly body: AnswerBody } | undefined

/** Moves money and notes it, in one request or in several, until it is stopped or its server is gone. */
export async function writeUntil(
  at: QueryClient,
  own: {
    readonly writer: number
    readonly random: SeededRandomness
    readonly ledger: SecondCopyLedger
    readonly signal: AbortSignal
  },
): Promise<void> {
  const { ledger, writer, random, signal } = own
  while (!signal.aborted) {
    const n = ledger.next()
    const sql = statementsOf(`${writer}-${n}`, writer, n, random)
    const isOne = random.below(3) > 0
    const answer = await (isOne ? writeAtOnce : writeInSeveral)(at, ledger, `${writer}-${n}`, sql)
    if (answer === undefined) return
    if (answer.status !== 200) await delay(REFUSED_PAUSE_MS)
  }
}

function statementsOf(key: string, writer: number, n: number, random: SeededRandomness): string {
  const from = random.below(ACCOUNTS)
  const to = (from + 1 + random.below(ACCOUNTS - 1)) % ACCOUNTS
  const amount = random.below(50)
  return [
    `SET balance = balance - ${amount} ON account WHERE id = ${from}`,
    `SET balance = balance + ${amount} ON account WHERE id = ${to}`,
    `SET n = ${n} ON head WHERE writer = ${writer}`,
    `INSERT INTO note (text) VALUES ('${key}') RETURNING id`,
  ].join('; ')
}

const idOf = (body: AnswerBody): number => body.results.at(-1).rows[0].id

/** With an idempotency key. */
export function sendAtOnce(at: QueryClient, { sql, key }: Written) {
  const body = { sql, timeoutMs: TIMEOUT_MS }
  return at.send('/v1/query', body, 'POST', { 'idempotency-key': key })
}

async function writeAtOnce(
  at: QueryClient,
  ledger: SecondCopyLedger,
  key: string,
  sql: string,
): Promise<Sent> {
  const written: Written = { key, sql, told: 'either' }
  ledger.written.push(written)
  const answer = await sendAtOnce(at, written).catch(() => undefined)
  if (answer === undefined) return undefined
  const { status, body } = answer
  if (status === 200) ledger.acknowledge(written, idOf(body), body.commitTimestamp)
  else ledger.refused(written, body)
  return answer
}

async function writeInSeveral(
  at: QueryClient,
  ledger: SecondCopyLedger,
  key: string,
  sql: string,
): Promise<Sent> {
  const begun = await at.send('/v1/transactions', {}).catch(() => undefined)
  if (begun === undefined || begun.status >= 300) return begun
  const { transaction } = begun.body
  const path = `/v1/transactions/${transaction}`
  const written: Written = { key, sql, transaction, told: 'absent' }
  ledger.written.push(written)
  const made = await at.send(`${path}/query`, { sql }).catch(() => undefined)
  if (made === undefined || made.status !== 200) {
    if (made !== undefined) ledger.refused(written, made.body)
    return made
  }
  written.told = 'either'
  const committed = await at.send(`${path}/commit`, undefined, 'POST').catch(() => undefined)
  if (committed === undefined) return undefined
  const { status, body } = committed
  if (status === 200) ledger.acknowledge(written, idOf(made.body), body.commitTimestamp)
  else ledger.refused(written, body)
  return committed
}

const HEADS = 'SCAN writer, n FROM head USE PRIMARY KEY'

/** Notes the last moment that it was shown, until its server is gone. */
export async function readUntil(
  at: QueryClient,
  ledger: SecondCopyLedger,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const answer = await at.query(HEADS).catch(() => undefined)
    if (answer === undefined) return
    if (answer.status === 200) {
      ledger.shown = shownBy(answer.body)
      ledger.reads += 1
    }
    await delay(5)
  }
}

function shownBy({ results, readTimestamp }: AnswerBody): Shown {
  const rows = results[0].rows as { writer: number; n: number }[]
  return { timestamp: readTimestamp, heads: new Map(rows.map(({ writer, n }) => [writer, n])) }
}

/** What a reader was shown is there as of its timestamp, and nothing has gone back since. */
export async function checkShown(at: QueryClient, { timestamp, heads }: Shown): Promise<void> {
  const { status, body } = await at.send('/v1/query', { sql: HEADS, asOf: timestamp })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(shownBy(body).heads, heads, 'as of the timestamp that was read')
  const now = shownBy((await at.query(HEADS)).body).heads
  for (const [writer, n] of heads) if (writer >= 0) assert.ok((now.get(writer) ?? 0) >= n)
}

/** By its text, the number of each note. */
export async function notesAt(at: QueryClient, asOf?: number): Promise<Map<string, number>> {
  const sql = 'SCAN id, text FROM note USE PRIMARY KEY'
  const rows = await at.allRows(sql, asOf === undefined ? {} : { asOf })
  return new Map(rows.map(({ id, text }) => [text, id]))
}

/** Compares what is there with what was answered. Returns how many commits that got no answer are there. */
export async function checkWritten(at: QueryClient, written: readonly Written[]): Promise<number> {
  const notes = await notesAt(at)
  const lost = written.filter(({ told, key, id }) => told === 'present' && notes.get(key) !== id)
  assert.deepEqual(lost, [], 'every acknowledged commit is there')
  const undead = written.filter(({ told, key }) => told === 'absent' && notes.has(key))
  assert.deepEqual(undead, [], 'no refused one is there')
  const known = new Set(written.map(({ key }) => key))
  for (const text of notes.keys()) assert.ok(known.has(text), `nobody wrote ${text}`)
  const accounts = await at.rows('SCAN balance FROM account')
  const sum = accounts.reduce((total, { balance }) => total + balance, 0)
  assert.equal(sum, ACCOUNTS * OPENING, 'no transfer is applied partially')
  const open = written.filter(({ told }) => told === 'either')
  return open.filter(({ key }) => notes.has(key)).length
}

/** What the server says of commits, acknowledged or not, is what is there; sent again, none happens twice. */
export async function checkOutcomes(at: QueryClient, written: readonly Written[]): Promise<void> {
  const notes = await notesAt(at)
  for (const one of written) {
    const there = notes.get(one.key)
    if (one.transaction !== undefined) await checkOutcome(at, one, there)
    else if (one.told !== 'absent') await checkSentAgain(at, one, there)
  }
}

async function checkOutcome(at: QueryClient, one: Written, there: number | undefined) {
  const { body } = await at.send(`/v1/transactions/${one.transaction}`)
  const expected = there === undefined ? 'rolledBack' : 'committed'
  assert.equal(body.status, expected, `${one.key}: ${JSON.stringify(body)}`)
  if (one.told === 'present') assert.equal(body.commitTimestamp, one.commitTs)
  one.told = there === undefined ? 'absent' : 'present'
  if (there !== undefined) one.id = there
}

/** Sent until it is answered: of one that no standby had in time nobody knows, and it happens once all the same. */
async function answerOf(at: QueryClient, one: Written): Promise<AnswerBody> {
  let answered: AnswerBody
  await until(async () => {
    const { status, body } = await sendAtOnce(at, one)
    const isOpen = body.retryable || body.code === 'commit_outcome_unknown'
    assert.ok(status === 200 || isOpen, `${one.key}: ${JSON.stringify(body)}`)
    answered = body
    return status === 200
  }, `the answer of ${one.key}`)
  return answered
}

async function checkSentAgain(at: QueryClient, one: Written, there: number | undefined) {
  const body = await answerOf(at, one)
  const id = idOf(body)
  assert.equal(id, there ?? id, `${one.key} was carried out again`)
  if (one.told === 'present') assert.equal(body.commitTimestamp, one.commitTs)
  Object.assign(one, { told: 'present', id })
}
