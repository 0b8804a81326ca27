// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { arbitraryCalls } from '../../../../test/cell-store/arbitrary-calls.ts'
import { decodeGroup, encodedBytesMax, encodeGroup } from './group-encoding.ts'
import type { WriteBatch } from './write-batch.ts'

const note = fc.option(
  fc.record({ timestamp: fc.maxSafeNat(), value: fc.uint8Array({ maxLength: 40 }) }),
  { nil: undefined },
)

/** The mutations of random programs, as batches, some of them with a note. */
const { mixedProgram } = arbitraryCalls()
const group: fc.Arbitrary<WriteBatch[]> = fc.tuple(mixedProgram, note).map(([operations, note]) =>
  operations.flatMap((operation): WriteBatch[] => {
    if (operation.kind === 'checkAndMutateRow') {
      return [{ kind: 'steps', steps: [{ row: operation.row, ...operation.step }], note }]
    }
    if (operation.kind === 'readModifyWriteRow') {
      return [{ kind: 'increment', row: operation.row, increments: operation.increments }]
    }
    if (operation.kind !== 'mutateRows') return []
    const steps = operation.entries.map(({ row, mutations }) => {
      return { row, when: [], ifMatched: [], otherwise: mutations }
    })
    return [{ kind: 'steps', steps }]
  }),
)

/** As text, whatever kind of byte array it is; what no step without a condition carries out is left out. */
function textOf(batches: readonly WriteBatch[]): string {
  const sent = batches.map((batch) => {
    if (batch.kind === 'increment') return batch
    const steps = batch.steps.map((step) => ({
      ...step,
      when: step.when.map((selector) => ({ ...selector, timestamps: { ...selector.timestamps } })),
      ifMatched: step.when.length === 0 ? [] : step.ifMatched,
    }))
    return { ...batch, steps }
  })
  return JSON.stringify(sent, (_key, value) => {
    if (typeof value === 'bigint') return `${value}n`
    if (value?.type === 'Buffer') return Buffer.from(value.data).toString('hex')
    if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}

test('a group arrives in the other thread as it was sent, within the bytes that were reckoned', () => {
  fc.assert(
    fc.property(group, (batches) => {
      const bytes = batches.reduce((sum, batch) => sum + encodedBytesMax(batch), 0)
      const packed = encodeGroup(batches, bytes)
      assert.ok(packed.length <= bytes + 4)
      assert.equal(packed.buffer.byteLength, bytes + 4)
      assert.equal(textOf(decodeGroup(packed)), textOf(batches))
    }),
  )
})
