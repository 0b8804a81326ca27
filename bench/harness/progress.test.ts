// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Progress } from './progress.ts'

test('a load that took longer than expected makes the loads to come longer, and not the samples', () => {
  const lines: string[] = []
  const out = { isTTY: false, write: (line: string) => lines.push(line) }
  let nowMs = 0
  const progress = new Progress(out as unknown as NodeJS.WriteStream, () => nowMs)
  progress.plan(4, 2 * 500 + 2 * 120_000)
  progress.begin('loads A')
  nowMs = 30_500
  progress.done(500)
  progress.begin('loads B')
  nowMs = 61_000
  progress.done(500)
  progress.begin('runs A')
  assert.deepEqual(lines, [
    '[1/4] loads A\n',
    '[2/4] loads B, about 6 min left\n',
    '[3/4] runs A, about 5 min left\n',
  ])
})
