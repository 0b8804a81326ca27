// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMBEDDED_LIMITS } from '../../call-check.ts'
import type { RowStep } from '../../cell-store.ts'
import { checkedSteps } from '../../checked-cell-store.ts'
import { stepsOf } from '../../embedded-cell-store.ts'
import { decodeLarge, encodeInTurns } from './large-batch.ts'
import type { LargeBatch } from './write-batch.ts'

function stepOf(row: string, bytes: number, timestamp = 1): RowStep {
  const value = Buffer.alloc(bytes, row)
  const cell = { kind: 'setCell', family: 'data', qualifier: '0', timestamp, value } as const
  return { row: Buffer.from(row), when: [], ifMatched: [], otherwise: [cell] }
}

const largeOf = (steps: LargeBatch['steps'], note?: LargeBatch['note']): LargeBatch => ({
  ...{ kind: 'large', steps, note },
})

test('steps are made some each turn, and arrive in the other thread as one batch in their order', async () => {
  let made = 0
  const rows = Array.from({ length: 1_000 }, (_, at) => String(at))
  const steps = stepsOf(rows, (row) => {
    made += 1
    return stepOf(row, 10)
  })
  const note = { timestamp: 9, value: Buffer.from('noted') }
  const encoding = encodeInTurns(largeOf(steps, note))
  assert.ok(made < 300, `${made} steps in the first turn`)
  const batch = decodeLarge(await encoding)
  assert.ok(batch.kind === 'steps')
  assert.deepEqual(
    batch.steps.map(({ row }) => Buffer.from(row).toString()),
    rows,
  )
  assert.equal(batch.note?.timestamp, 9)
  assert.equal(Buffer.from(batch.note.value).toString(), 'noted')
})

test('a turn ends early where the values are long', async () => {
  const rows = ['a', 'b', 'c', 'd']
  const parts = await encodeInTurns(largeOf(stepsOf(rows, (row) => stepOf(row, 600_000))))
  assert.equal(parts.length, 2)
})

test('a wrong step rejects all', async () => {
  const rows = Array.from({ length: 600 }, (_, at) => String(at))
  const steps = stepsOf(rows, (row) => stepOf(row, 1, row === '599' ? -1 : 1))
  await assert.rejects(encodeInTurns(largeOf(checkedSteps(steps, EMBEDDED_LIMITS))), {
    kind: 'invalid',
  })
})
