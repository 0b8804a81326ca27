// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Schemas } from '../../client-sdk/client.ts'
import { activityPath, chartOf, isKnown, withAnswer } from './activity.ts'

/** So many seconds from one of 1970 on, in which each figure is the second. */
function answer(fromSecond: number, count: number): Schemas['Activity'] {
  const values = Array.from({ length: count }, (_, at) => fromSecond + at)
  const none = values.map(() => null)
  return {
    stepMs: 1_000,
    from: new Date(fromSecond * 1_000).toISOString(),
    until: (fromSecond + count) * 1_000_000,
    series: {
      ...{ commits: values, reads: values, conflicts: values, requests: values },
      ...{ changes: values, feedLagMs: values, p50Ms: values, p99Ms: none, logBytes: none },
    },
  }
}

describe('the activity of the server', () => {
  it('goes on from answer to answer, for ten minutes', () => {
    assert.equal(activityPath(undefined), '/v1/activity')
    let known = withAnswer(undefined, answer(100, 590))
    assert.equal(activityPath(known), '/v1/activity?since=690000000')
    known = withAnswer(known, answer(690, 20))
    assert.deepEqual([known.times.length, known.times[0], known.times.at(-1)], [600, 111, 710])
    const [commits] = chartOf(known, ['commits']).lines
    assert.deepEqual([commits?.length, commits?.[0], commits?.at(-1)], [600, 110, 709])
    assert.deepEqual(withAnswer(known, answer(710, 0)), known)
  })

  it('starts again with an answer that does not go on', () => {
    const known = withAnswer(withAnswer(undefined, answer(100, 5)), answer(900, 3))
    assert.deepEqual(known.times, [901, 902, 903])
  })

  it('knows which figures there are', () => {
    const known = withAnswer(undefined, answer(1, 2))
    assert.deepEqual([isKnown(known, 'p50Ms'), isKnown(known, 'logBytes')], [true, false])
  })
})
