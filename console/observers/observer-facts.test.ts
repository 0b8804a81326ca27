// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Schemas } from '../../client-sdk/client.ts'
import { FIRST_PAGE, pathOf, placeText } from './dead-letter-pages.ts'
import { lagChart, type ObserverSamples, rateChart, rateOf, sampled } from './observer-samples.ts'
import { notifyOf, pauseOf, replayOf, resumeOf, scheduleStateOf } from './observer-statements.ts'
import { circleText, countedText, stateOf } from './observer-words.ts'

function status(parts: Partial<Schemas['ObserverStatus']>): Schemas['ObserverStatus'] {
  return {
    ...{ observer: 'count', table: 'page', weak: false, state: 'active', backfilling: false },
    ...{ pending: 0, lagMs: 0, running: 0, waiting: 1, runs: 0, retries: 0, conflicts: 0 },
    ...{ failures: 0, deadLetters: { count: 0, rows: [] }, cyclesWith: [], schedules: [] },
    ...parts,
  }
}

describe('dead letters by pages', () => {
  it('are asked for behind the last row of the page before, whatever its key is', () => {
    assert.equal(pathOf('a/b', FIRST_PAGE), '/v1/observers/a%2Fb/deadLetters')
    assert.equal(
      pathOf('o', ['7', 'a~1 b,ü&']),
      '/v1/observers/o/deadLetters?after=a%7E1+b%2C%C3%BC%26',
    )
  })

  it('say which page it is where there are several', () => {
    assert.equal(placeText(100, FIRST_PAGE, false), '100')
    assert.equal(placeText(101, FIRST_PAGE, true), '101, page 1')
    assert.equal(placeText(1_000, ['7', '9'], false), '1,000 or more, page 3')
  })
})

describe('the button of a schedule', () => {
  it('is the statement of the other state', () => {
    const of = (state: string) => scheduleStateOf({ schedule: 'at 3', state }).sql
    assert.equal(of('active'), 'ALTER SCHEDULE "at 3" PAUSE')
    assert.equal(of('paused'), 'ALTER SCHEDULE "at 3" RESUME')
  })
})

describe('what is said of an observer', () => {
  it('is its state, and that nobody runs it', () => {
    assert.deepEqual(
      [
        status({}),
        status({ waiting: 0 }),
        status({ waiting: 0, running: 1, backfilling: true }),
        status({ waiting: 0, state: 'paused' }),
      ].map(stateOf),
      [
        { text: 'active', isBad: false },
        { text: 'no worker', isBad: true },
        { text: 'active, told of older rows', isBad: false },
        { text: 'paused', isBad: false },
      ],
    )
  })

  it('is the circle that it is in, and a count that goes no further than the server counts', () => {
    const texts = [[], ['count'], ['a', 'b', 'count']].map((cyclesWith) =>
      circleText(status({ cyclesWith })),
    )
    assert.deepEqual(texts, [undefined, 'notifies itself', 'with a, b'])
    assert.deepEqual([999, 1_000].map(countedText), ['999', '1,000 or more'])
  })

  it('is how many runs there were in a second, and nothing across a start of the server', () => {
    let samples: ObserverSamples = new Map()
    const look = (atMs: number, runs: number) => {
      samples = sampled(samples, [status({ runs, lagMs: runs })], atMs)
    }
    look(0, 10)
    assert.equal(rateOf(samples.get('count'), 'runs'), undefined)
    look(2_000, 15)
    assert.equal(rateOf(samples.get('count'), 'runs'), 2.5)
    look(4_000, 3)
    const seen = samples.get('count') ?? []
    assert.deepEqual(rateChart(seen), {
      times: [0, 2, 4],
      lines: [
        [null, 2.5, null],
        [null, 0, 0],
      ],
    })
    assert.deepEqual(lagChart(seen).lines, [[10, 15, 3]])
    for (let at = 0; at < 1_000; at += 1) look(6_000 + at, at)
    assert.equal(samples.get('count')?.length, 300)
    assert.equal(sampled(samples, [], 9_000).size, 0)
  })
})

describe('the statement of a button', () => {
  it('is one of the dialect, whatever the observer is called', () => {
    assert.equal(pauseOf('count').sql, 'ALTER OBSERVER count PAUSE')
    assert.equal(pauseOf('order').sql, 'ALTER OBSERVER "order" PAUSE')
    assert.equal(
      resumeOf(status({ observer: 'my "own"' })).sql,
      'ALTER OBSERVER "my ""own""" RESUME',
    )
    assert.equal(replayOf('a', '17').sql, 'ALTER OBSERVER a REPLAY FROM 17')
    assert.equal(
      replayOf('a', "2026-11-21' OR").sql,
      "ALTER OBSERVER a REPLAY FROM '2026-11-21'' OR'",
    )
  })

  it('names one row by its key, with the types of its columns', () => {
    const key = ['name', 'id', 'at', 'isOld'].map((column) => ({ column, descending: false }))
    const types = { name: 'TEXT', id: 'INTEGER', at: 'TIMESTAMP', isOld: 'BOOLEAN' }
    const columns = Object.entries(types).map(([name, type]) => ({ name, type }))
    const table = { name: 'broker', primaryKey: key, columns } as unknown as Schemas['Table']
    const { sql } = notifyOf('fold', table, [
      "b'1",
      '9007199254740993',
      '2026-01-31T12:00:00Z',
      true,
    ])
    assert.equal(
      sql,
      "NOTIFY fold ON broker WHERE name = 'b''1' AND id = 9007199254740993 " +
        "AND at = '2026-01-31T12:00:00Z' AND isOld = TRUE",
    )
  })
})
