// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { marketDay, momentOf, TRADING_DAY_MS } from './trading-calendar.ts'

const HOUR_MS = 3600 * 1000
const isoOf = (momentMs: number) => new Date(momentMs).toISOString()

test('trading time knows no nights and no weekends', () => {
  const moments = [0, TRADING_DAY_MS - 1, TRADING_DAY_MS, 5 * TRADING_DAY_MS + 3 * HOUR_MS]
  assert.deepEqual(moments.map(momentOf).map(isoOf), [
    '2005-01-03T09:00:00.000Z',
    '2005-01-03T16:59:59.999Z',
    '2005-01-04T09:00:00.000Z',
    '2005-01-10T12:00:00.000Z',
  ])
})

test('days of daily prices are the workdays of five years from 2000 on', () => {
  const days = Array.from({ length: 1_305 }, (_, day) => new Date(marketDay(day)))
  assert.ok(days.every((date) => date.getUTCDay() >= 1 && date.getUTCDay() <= 5))
  assert.equal(new Set(days.map(Number)).size, days.length)
  assert.equal(days[0]?.toISOString(), '2000-01-03T00:00:00.000Z')
  assert.equal(days.at(-1)?.toISOString(), '2004-12-31T00:00:00.000Z')
})
