// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { ObservedServer, Runs } from '../../../test/server/observed-server.ts'
import type { AnswerBody } from '../../../test/server/test-server.ts'
import { TokenServer } from '../../../test/server/token-server.ts'

describe('GET /v1/observers/{observer}/deadLetters', () => {
  const poison = new Runs('poisoned', async () => {
    throw new Error('poison')
  })

  it('has all that an observer has given up, page by page, whatever their keys are', async (t) => {
    const clock = new ManualClock()
    const deps = { observers: [poison.defined], clock }
    const observed = await ObservedServer.start(t, { deps })
    const { server } = observed
    await observed.run('CREATE TABLE note (id TEXT, n INTEGER, text TEXT, PRIMARY KEY (id, n))')
    await observed.run('CREATE OBSERVER poisoned ON note (text)')
    const keys = ['', '..', 'a b', 'a%2Cb', 'a,b', 'ü~'].map((id) => [id, 7])
    for (const [id] of keys) {
      await observed.run("INSERT INTO note (id, n, text) VALUES ($1, 7, 'x')", [id])
    }
    const { length } = keys
    while ((await observed.status('poisoned')).deadLetters.count < length)
      await clock.advance(1_000)
    const path = '/v1/observers/poisoned/deadLetters'
    const whole = (await server.get(path)).body
    assert.deepEqual(
      whole.deadLetters.map(({ key }: AnswerBody) => key),
      keys,
    )
    const { timestamp, ...first } = whole.deadLetters[0]
    assert.deepEqual(first, { key: ['', 7], error: 'Error: poison', tries: 10 })
    assert.deepEqual([typeof timestamp, whole.next], ['number', undefined])

    const paged: AnswerBody[] = []
    let after: string | undefined
    do {
      const search = new URLSearchParams({ limit: '1', ...(after === undefined ? {} : { after }) })
      const { body, text } = await server.get(`${path}?${search}`)
      assert.equal(body.deadLetters.length, 1, text)
      paged.push(...body.deadLetters)
      after = body.next
    } while (after !== undefined)
    assert.deepEqual(paged, whole.deadLetters)
  })

  it('refuses observers and keys that there cannot be', async (t) => {
    const { server } = await ObservedServer.start(t)
    await server.query('CREATE OBSERVER count ON page (text)')
    const of = async (path: string) => {
      const { status, body } = await server.get(`/v1/observers/${path}`)
      return [status, body.code]
    }
    assert.deepEqual(await of('cuont/deadLetters'), [404, 'unknown_observer'])
    assert.deepEqual(await of('count/deadLetters?after=x'), [400, 'type_mismatch'])
    assert.deepEqual(await of('count/deadLetters?after=1,2'), [400, 'invalid_request'])
    assert.deepEqual(await of('count/deadLetters?limit=1001'), [400, 'invalid_request'])
    assert.deepEqual(await of('count/deadLetters?after=1'), [200, undefined])
  })

  it('is for those alone who may inspect', async (t) => {
    const tokens = await TokenServer.start(t)
    await tokens.query('CREATE TABLE page (id INTEGER PRIMARY KEY, text TEXT)')
    await tokens.query('CREATE OBSERVER count ON page (text)')
    await tokens.query('CREATE ROLE worker')
    await tokens.query('CREATE ROLE operator')
    await tokens.query('GRANT READ, WRITE, OBSERVE ON page TO worker')
    await tokens.query('GRANT INSPECT TO operator')
    const made = (role: string) => tokens.made(`CREATE TOKEN ${role} ROLE ${role} EXPIRES IN 1 DAY`)
    const [worker, operator] = [tokens.as(await made('worker')), tokens.as(await made('operator'))]
    for (const observer of ['count', 'nobody']) {
      const { status, body } = await worker.send({ path: `/v1/observers/${observer}/deadLetters` })
      assert.deepEqual([status, body.code], [403, 'not_permitted'])
    }
    const { body } = await operator.send({ path: '/v1/observers/count/deadLetters' })
    assert.deepEqual(body, { deadLetters: [] })
  })
})
