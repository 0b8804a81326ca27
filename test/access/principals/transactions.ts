// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { SocketClient } from '../../server/socket-client.ts'
import type { AnswerBody } from '../../server/test-server.ts'
import type { TokenClient } from '../../server/token-server.ts'
import type { RuledTable } from './ruled-table.ts'
import { type About, guarding, randomReading, randomWriting, type Statement } from './statements.ts'
import type { Sockets } from './subscribers.ts'
import { touchHidden } from './touch-hidden.ts'
import { bodyOf, shownBody, type TwoServers } from './two-servers.ts'
import { LEFT_OPEN } from './writing.ts'

const PATH = '/v1/transactions'

/** Queries of one client, over HTTP or over its socket. */
type Way = (sql: string, more?: object) => Promise<AnswerBody>

const overHttp =
  (client: TokenClient): Way =>
  async (sql, more = {}) =>
    (await client.query(sql, { ...more })).body

export const overSocket =
  (socket: SocketClient): Way =>
  async (sql, more = {}) => {
    const { type: _, ...body } = await socket.query(sql, { ...more })
    return body
  }

/** The same transaction on both servers. */
export class BothOpen {
  readonly #ways: readonly [Way, Way]
  readonly ids: readonly [string, string]

  private constructor(ways: readonly [Way, Way], ids: readonly [string, string]) {
    this.#ways = ways
    this.ids = ids
  }

  /** Where a worker begins it on the first server, it runs for a notification. */
  static async begin(one: Way, alone: Way, notification?: string): Promise<BothOpen> {
    const begun = [
      await one('BEGIN', notification === undefined ? {} : { notification }),
      await alone('BEGIN'),
    ] as const
    return new BothOpen([one, alone], [begun[0].transaction, begun[1].transaction])
  }

  /** Undefined where the answer is one that a rule leaves open, and then only the first server was asked. */
  async ask(
    statement: Statement,
    isOpen: (code: string) => boolean,
  ): Promise<AnswerBody | undefined> {
    const { sql, ...more } = bodyOf(statement)
    const [one, alone] = this.#ways
    const answer = await one(sql, { ...more, transaction: this.ids[0] })
    if (isOpen(answer.code)) return undefined
    const other = await alone(sql, { ...more, transaction: this.ids[1] })
    assert.equal(
      shownBody(answer),
      shownBody(other),
      `in a transaction: ${JSON.stringify(statement)}`,
    )
    return answer
  }
}

/**
 * Reads, guards and writes in a transaction of several requests, over HTTP or a socket, while rows that are hidden from
 * it are written: they stand in the way of nothing, and the transaction is nobody else's.
 */
export async function compareTransaction(
  servers: TwoServers,
  table: RuledTable,
  { about, sockets }: { readonly about: About; readonly sockets: Sockets },
): Promise<void> {
  const { a, alone, b } = servers
  const { choose } = about
  const isOnSocket = choose.percent(50)
  const ways = isOnSocket
    ? ([overSocket(sockets[0]), overSocket(sockets[1])] as const)
    : ([overHttp(a.client), overHttp(alone)] as const)
  const open = await BothOpen.begin(...ways)
  let isOpen = true
  for (let n = 0; n < 4 && isOpen; n += 1) {
    const answer = await open.ask(inside(servers, table, about), (code) => isLeftOpen(table, code))
    isOpen = !endsTransaction(answer)
    await touchHidden(servers, table, choose)
    await othersAreRefused(servers, open.ids[0], overSocket(sockets[2]))
  }
  const end = choose.percent(75) ? 'COMMIT' : 'ROLLBACK'
  const ended = await open.ask({ sql: end }, () => false)
  if (isOpen) assert.equal(ended?.code, undefined, `a hidden row is in the way of ${end}`)
  const committed = await b.client.send({ path: `${PATH}/${open.ids[0]}` })
  assert.equal(committed.body.code, 'unknown_transaction', 'an ended one of another')
  assert.equal(await servers.align(table), 0, `other rows after ${end}`)
}

/** What is read is what may be written, or else it only reads. */
export function inside({ a }: TwoServers, table: RuledTable, about: About): Statement {
  const { choose } = about
  if (!table.isOneRule(a.claims) || choose.percent(40)) return randomReading(about)
  if (choose.percent(30)) return guarding(about)
  const write = randomWriting(about)
  // By row, a hidden row that has the key is not inserted either, and nothing tells of it; and nobody notifies.
  return table.exactness === 'row' && /DO NOTHING|^NOTIFY/.test(write.sql) ? guarding(about) : write
}

/** A CHECK that fails does; that of a table only refuses a row. */
export function endsTransaction(answer: AnswerBody | undefined): boolean {
  return answer?.code === 'check_failed' && answer.constraint === undefined
}

export function isLeftOpen({ exactness }: RuledTable, code: string): boolean {
  return code === 'rule_violated' || (exactness === 'row' && LEFT_OPEN.has(code))
}

export async function othersAreRefused(
  { b }: TwoServers,
  id: string,
  onSocket: Way,
): Promise<void> {
  for (const [method, path] of [
    ['GET', `${PATH}/${id}`],
    ['POST', `${PATH}/${id}/commit`],
    ['DELETE', `${PATH}/${id}`],
  ] as const) {
    const { body } = await b.client.send({ method, path })
    assert.equal(body.code, 'unknown_transaction', `${method} of another`)
  }
  for (const ask of [overHttp(b.client), onSocket]) {
    const { code } = await ask('COMMIT', { transaction: id })
    assert.equal(code, 'unknown_transaction', 'COMMIT of another')
  }
  const listed = (await b.client.send({ path: PATH })).body.transactions
  assert.deepEqual(listed, [], 'transactions of another')
}
