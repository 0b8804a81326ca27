// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { backlogOf, backlogsOf } from './incremental/backlog.ts'
import { costCrossingOf, crossingOf, findSaturation } from './saturation-contender.ts'

const CRAWL = { ratePerSecond: 100, seconds: 30 }
const crawled = Array.from({ length: 3_000 }, (_, sequence) => sequence / CRAWL.ratePerSecond)

describe('a backlog', () => {
  it('does not grow where each document is clustered some time after it was crawled', () => {
    const { documents, isGrowing } = backlogOf(
      crawled.map((second) => second + 0.5),
      CRAWL,
    )
    assert.equal(isGrowing, false)
    assert.ok(Math.abs(documents - 50) < 2, String(documents))
  })

  it('is told after each second', () => {
    const late = crawled.map((second) => (second < 10 ? 10 : second))
    const backlogs = backlogsOf(late, CRAWL)
    assert.deepEqual([backlogs.length, backlogs[5], backlogs[9]], [31, 500, 900])
    assert.ok(Math.abs(Number(backlogs[20])) <= 1)
  })

  it('does not grow because of a pause within the crawl', () => {
    const paused = crawled.map((second) => (second > 21 && second < 22 ? 22 : second))
    assert.equal(backlogOf(paused, CRAWL).isGrowing, false)
  })

  it('grows where documents are clustered more slowly than they are crawled', () => {
    const { growthPerSecond, isGrowing } = backlogOf(
      crawled.map((second) => second * 1.25),
      CRAWL,
    )
    assert.equal(isGrowing, true)
    assert.ok(Math.abs(growthPerSecond - 20) < 1, String(growthPerSecond))
  })
})

describe('the cross-over', () => {
  const points = (...delays: readonly (number | undefined)[]) =>
    delays.map((delayMs, at) => ({ percent: 10 ** at, delayMs, cpuMs: delayMs ?? 1_000 }))

  it('lies between two rates that both were measured at, on a line of logarithms', () => {
    const found = crossingOf(points(1, 100), points(10, 10), 50)
    assert.equal(found?.by, 'interpolation')
    assert.ok(Math.abs((found?.percent ?? 0) - Math.sqrt(10)) < 1e-9, String(found?.percent))
  })

  it('is where observers saturate that were the faster ones until then', () => {
    const found = crossingOf(points(1, 2, undefined), points(10, 10, 10), 50)
    assert.deepEqual(found, { percent: 50, by: 'saturation' })
  })

  it('by cost does not stop where observers saturate', () => {
    const found = costCrossingOf(points(1, undefined), points(10, 10))
    assert.ok(Math.abs((found?.percent ?? 0) - 10 ** (1 / 3)) < 1e-9, String(found?.percent))
  })

  it('is not found where nothing saturates', () => {
    assert.equal(crossingOf(points(1, 2), points(10, 10), undefined), undefined)
  })

  it('is the lowest rate where the passes are faster already there', () => {
    assert.equal(crossingOf(points(20, 30), points(10, 10), 50)?.percent, 1)
  })
})

describe('the rate of saturation', () => {
  const known = (...percents: readonly number[]) =>
    percents.map((percent) => ({ percent, delayMs: percent > 30 ? undefined : 1, cpuMs: 1 }))
  const keepsUpAt = async (percent: number) => percent <= 30

  for (const [what, points] of [
    ['between the rates that were measured', known(1, 10, 50)],
    ['beyond the highest of them', known(1, 10)],
    ['below the lowest of them', known(50, 100)],
  ] as const) {
    it(`is found ${what}`, async () => {
      const found = (await findSaturation(points, 7, keepsUpAt)) ?? 0
      assert.ok(Math.abs(found - 30) < 1, String(found))
    })
  }

  it('is not found where the system keeps up with whatever is tried', async () => {
    assert.equal(await findSaturation(known(1), 3, async () => true), undefined)
    assert.equal(await findSaturation([], 3, keepsUpAt), undefined)
  })
})
