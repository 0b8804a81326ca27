// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { RuledTable } from './ruled-table.ts'
import { conditionFor } from './rules.ts'
import type { About } from './statements.ts'
import type { Sockets } from './subscribers.ts'
import {
  BothOpen,
  endsTransaction,
  inside,
  isLeftOpen,
  othersAreRefused,
  overSocket,
} from './transactions.ts'
import type { TwoServers } from './two-servers.ts'

type Request = { readonly about: About; readonly sockets: Sockets }

/**
 * A worker of the first principal runs for a row that has changed. Notifications name any row, so a rule of READ keeps
 * all of them; a run reads and writes what its principal may, and is nobody else's.
 */
export async function compareRun(
  servers: TwoServers,
  table: RuledTable,
  { about, sockets }: Request,
): Promise<void> {
  const { choose } = about
  const observer = `${table.name}${choose.oneOf(['seen', 'hint'])}`
  const id = `o${choose.below(2 ** 30)}`
  const seesAll = conditionFor(table.grants, 'READ', {}) === ''
  if (!(table.may('OBSERVE') && seesAll)) {
    for (const [at, socket] of sockets.entries()) {
      socket.send({ type: 'observe', id, observer, workers: 1 })
      const { type, code } = await socket.about(id)
      const wanted = table.grants.length === 0 ? 'unknown_observer' : 'not_permitted'
      if (at !== 1) assert.deepEqual([type, code], ['error', wanted], `observe ${observer}`)
      else assert.equal(type, 'error', `observe ${observer} of all rows`)
    }
    return
  }
  if (!(await isPending(servers, observer))) return
  const [worker, , second] = sockets
  worker.send({ type: 'observe', id, observer, workers: 1 })
  const { type, notification, code } = await worker.about(id)
  assert.equal(type, 'notification', `observe ${observer}: ${code}`)
  worker.send({ type: 'unobserve', id })
  await worker.next((frame) => frame.id === id && frame.type === 'unobserved')
  const foreign = await second.query('BEGIN', { notification })
  assert.equal(foreign.code, 'unknown_notification', 'a notification of another')
  const open = await BothOpen.begin(overSocket(worker), overSocket(sockets[1]), notification)
  let isOpen = true
  for (let n = 0; n < 2 && isOpen; n += 1) {
    const answer = await open.ask(inside(servers, table, about), (each) => isLeftOpen(table, each))
    isOpen = !endsTransaction(answer)
    await othersAreRefused(servers, open.ids[0], overSocket(second))
  }
  const ended = await open.ask({ sql: 'COMMIT' }, () => false)
  if (isOpen) assert.equal(ended?.code, undefined, `a run of ${observer}`)
  else worker.send({ type: 'release', id: `r${id}`, notification })
  assert.equal(await servers.align(table), 0, `other rows after a run of ${observer}`)
}

async function isPending({ full }: TwoServers, observer: string): Promise<boolean> {
  const { body } = await full.admin.send({ path: '/v1/observers' })
  const status = body.observers.find((one: { observer: string }) => one.observer === observer)
  return status !== undefined && status.pending > 0
}
