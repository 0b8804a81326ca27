// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { ScheduleTimes } from '../../storage/tables/tables.ts'
import { TimesError, timesOf } from './schedule-times.ts'

const ZURICH = 'Europe/Zurich'

function micros(iso: string): number {
  return Date.parse(iso) * 1_000
}

/** The next times, as UTC to the minute. */
function next(times: ScheduleTimes, zone: string, after: string, count: number): string[] {
  const known = timesOf(times, zone)
  const found: number[] = []
  for (let time = micros(after); found.length < count; ) {
    time = known.after(time)
    found.push(time)
  }
  return found.map((time) => new Date(time / 1_000).toISOString().slice(5, 16))
}

describe('where a clock is set forward, at 02:00 to 03:00', () => {
  const before = '2026-03-28T00:00:00Z'

  test('a time in the gap is the first moment after it', () => {
    const wanted = ['03-28T01:30', '03-29T01:00', '03-30T00:30']
    assert.deepEqual(next({ every: '1 day', at: '02:30' }, ZURICH, before, 3), wanted)
    assert.deepEqual(next({ cron: '30 2 * * *' }, ZURICH, before, 3), wanted)
  })

  test('03:00 comes once', () => {
    const wanted = ['03-28T02:00', '03-29T01:00', '03-30T01:00']
    assert.deepEqual(next({ every: '1 day', at: '03:00' }, ZURICH, before, 3), wanted)
  })

  test('every half hour skips none that the clock shows', () => {
    const wanted = ['03-29T00:30', '03-29T01:00', '03-29T01:30']
    assert.deepEqual(next({ cron: '*/30 * * * *' }, ZURICH, '2026-03-29T00:00:00Z', 3), wanted)
  })
})

describe('where a clock is set back, at 03:00 to 02:00', () => {
  test('a time that comes twice is the first one', () => {
    const wanted = ['10-24T00:30', '10-25T00:30', '10-26T01:30']
    const before = '2026-10-24T00:00:00Z'
    assert.deepEqual(next({ every: '1 day', at: '02:30' }, ZURICH, before, 3), wanted)
    assert.deepEqual(next({ cron: '30 2 * * *' }, ZURICH, before, 3), wanted)
  })

  test('every half hour has both', () => {
    const wanted = ['10-25T00:30', '10-25T01:00', '10-25T01:30', '10-25T02:00']
    assert.deepEqual(next({ cron: '*/30 * * * *' }, ZURICH, '2026-10-25T00:00:00Z', 4), wanted)
  })
})

test('a day without midnight begins at one o’clock', () => {
  const wanted = ['11-03T03:00', '11-04T03:00', '11-05T02:00']
  assert.deepEqual(next({ every: '1 day' }, 'America/Sao_Paulo', '2018-11-02T12:00:00Z', 3), wanted)
})

test('periods are counted from 1970, whenever they begin', () => {
  const after = '2026-11-30T10:07:00Z'
  assert.deepEqual(next({ every: '15 minutes' }, 'UTC', after, 2), ['11-30T10:15', '11-30T10:30'])
  assert.deepEqual(next({ every: '3 days' }, 'UTC', after, 2), ['12-03T00:00', '12-06T00:00'])
  assert.deepEqual(next({ every: '3 days' }, 'UTC', '2026-12-01T00:00:00Z', 1), ['12-03T00:00'])
})

test('times one after the other are those between the first and the last, in any zone', () => {
  const kinds = fc.constantFrom<ScheduleTimes>(
    ...[{ every: '7 seconds' }, { every: '90 minutes' }, { every: '1 day', at: '02:30' }],
    ...[{ every: '5 days', at: '23:59:59' }, { cron: '30 2 * * *' }, { cron: '*/20 1-3 * * *' }],
    ...[{ cron: '0 0 1 * *' }, { cron: '15 30 12 * * MON-FRI' }],
  )
  const zones = fc.constantFrom(
    ...[ZURICH, 'UTC', 'America/New_York', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'],
    ...['Australia/Lord_Howe', 'Asia/Kathmandu', 'America/Sao_Paulo'],
  )
  const begins = fc.integer({ min: micros('2015-01-01'), max: micros('2027-01-01') })
  const property = fc.property(kinds, zones, begins, fc.integer({ min: 1, max: 6 }), (...given) => {
    const [times, zone, begin, max] = given
    const known = timesOf(times, zone)
    const chain = [known.after(begin)]
    while (chain.length < 6) chain.push(known.after(chain.at(-1) as number))
    const [first, last] = [chain[0] as number, chain.at(-1) as number]
    assert.ok(first > begin)
    assert.deepEqual(chain, [...new Set(chain)].sort())
    assert.deepEqual(known.between(first, last, max), chain.slice(-max))
    assert.deepEqual(known.between(begin + 1, last - 1, 100), chain.slice(0, -1))
  })
  fc.assert(property, { numRuns: 300 })
})

describe('a text that is wrong is named by its clause:', () => {
  const wrong: ReadonlyArray<readonly [TimesError['clause'], ScheduleTimes, string?]> = [
    ['every', { every: 'day' }],
    ['every', { every: '0 days' }],
    ['every', { every: '1 week' }],
    ['every', { every: '367 days' }],
    ['every', { every: '31622401 seconds' }],
    ['at', { every: '1 day', at: '3' }],
    ['at', { every: '1 day', at: '24:00' }],
    ['at', { every: '2 hours', at: '03:00' }],
    ['zone', { every: '1 hour' }, 'Nowhere/City'],
    ['cron', { cron: '' }],
    ['cron', { cron: '0 3 * *' }],
    ['cron', { cron: '61 3 * * *' }],
    ['cron', { cron: '0 0 30 2 *' }],
    ['cron', { cron: '? * * * *' }],
    ['cron', { cron: '0 3 * * * * 2027' }],
    ['cron', { cron: '2027-01-01T00:00:00' }],
    ['cron', { cron: `${'0,'.repeat(50)}0 3 * * *` }],
  ]
  for (const [clause, times, zone = 'UTC'] of wrong) {
    test(`${JSON.stringify(times)} ${zone}`, () => {
      const isNamed = (error: unknown) => error instanceof TimesError && error.clause === clause
      assert.throws(() => timesOf(times, zone), isNamed)
    })
  }
})
