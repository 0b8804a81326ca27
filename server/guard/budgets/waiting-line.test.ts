// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { ServerError } from '../../errors/server-error.ts'
import { type ClientKey, clientKeyOf } from './client-key.ts'
import { SharedBound } from './shared-bound.ts'
import { type Waiting, WaitingLine } from './waiting-line.ts'

class Request implements Waiting {
  readonly client: ClientKey
  mayGiveWay = true
  reason: ServerError | undefined

  constructor(client: ClientKey) {
    this.client = client
  }

  giveWay(reason: ServerError): void {
    this.reason = reason
  }
}

function lineOf(max: number) {
  const bound = new SharedBound({ limit: 'queuedRequestsMax', max, what: 'Requests that wait' })
  const line = new WaitingLine(bound)
  const enter = (address: number, count = 1) =>
    Array.from({ length: count }, () => {
      const request = new Request(clientKeyOf(`127.0.1.${address}`))
      line.enter(request)
      return request
    })
  const heldBy = (address: number) => bound.heldBy(clientKeyOf(`127.0.1.${address}`))
  return { bound, line, enter, heldBy }
}

const gaveWay = (requests: readonly Request[]) =>
  requests.flatMap(({ reason }, index) => (reason === undefined ? [] : [index]))

test('middling clients fill the line together: a newcomer takes the place of the newest of the longest', () => {
  const { bound, enter, heldBy } = lineOf(1_024)
  // Each below an eighth, so that all of them use the reserved quarter.
  const middling = [1, 2, 3, 4, 5, 6, 7].map((address) => enter(address, 127))
  const longest = enter(8, 127)
  enter(9, 8)
  assert.equal(bound.held, 1_024)
  enter(10)
  enter(11)
  assert.deepEqual([bound.held, heldBy(10), heldBy(11)], [1_024, 1, 1])
  // The first two of the lines of equal length have lost one each.
  assert.deepEqual(middling.map(gaveWay), [[126], [126], [], [], [], [], []])
  assert.deepEqual(gaveWay(longest), [])
  const { code, fields } = middling[0]?.[126]?.reason ?? assert.fail('none gave way')
  assert.equal(code, 'client_overloaded')
  assert.deepEqual(fields, { limit: 'queuedRequestsMax', limitValue: 126, actual: 127 })
})

test('a client with more than an eighth is let in as long as another has two more', () => {
  const { bound, enter, heldBy } = lineOf(80)
  const greedy = enter(1, 60)
  enter(2, 9)
  assert.equal(bound.held, 69)
  enter(2, 25)
  assert.deepEqual([heldBy(1), heldBy(2), bound.held], [35, 34, 69])
  assert.deepEqual(
    gaveWay(greedy),
    Array.from({ length: 25 }, (_, index) => 35 + index),
  )
  assert.throws(() => enter(2), { code: 'overloaded' })
  assert.equal(gaveWay(greedy).length, 25)
})

test('a client alone is refused when its own share is used up, and nothing of it gives way', () => {
  const { enter } = lineOf(80)
  const requests = enter(1, 60)
  assert.throws(() => enter(1), { code: 'client_overloaded' })
  assert.deepEqual(gaveWay(requests), [])
})

test('what commits does not give way, and neither does what has left', () => {
  const { bound, line, enter, heldBy } = lineOf(8)
  const requests = enter(1, 6)
  for (const index of [3, 4, 5]) (requests[index] as Request).mayGiveWay = false
  enter(2)
  enter(3)
  enter(4)
  assert.deepEqual(gaveWay(requests), [0, 1, 2])
  for (const request of requests) request.mayGiveWay = false
  assert.throws(() => enter(5), { code: 'overloaded' })
  for (const request of requests) line.leave(request)
  for (const request of requests) line.leave(request)
  assert.deepEqual([heldBy(1), bound.held], [0, 3])
})

test('the bound holds, and whoever waits with two fewer than another is let in', () => {
  const step = fc.record({ client: fc.nat(9), count: fc.integer({ min: -5, max: 20 }) })
  fc.assert(
    fc.property(fc.array(step, { minLength: 10 }), (steps) => {
      const { bound, line, enter, heldBy } = lineOf(80)
      let waiting: Request[] = []
      for (const { client, count } of steps) {
        for (const old of waiting.splice(0, Math.max(0, -count))) line.leave(old)
        for (let time = 0; time < count; time += 1) {
          const longest = Math.max(...waiting.map((each) => bound.heldBy(each.client)), 0)
          const mustEnter = longest >= heldBy(client) + 2
          try {
            waiting.push(...enter(client))
          } catch {
            assert.equal(mustEnter, false)
          }
          waiting = waiting.filter(({ reason }) => reason === undefined)
          assert.ok(bound.held <= 80)
          assert.equal(bound.held, waiting.length)
        }
      }
    }),
  )
})

test('who waits again while it is in the line counts once', () => {
  const { bound, line, enter } = lineOf(80)
  const [request] = enter(1)
  if (request === undefined) return assert.fail('nobody waits')
  line.enter(request)
  assert.equal(bound.held, 1)
  line.leave(request)
  assert.equal(bound.held, 0)
})
