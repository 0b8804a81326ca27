// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RecordMemory } from './record-memory.ts'

const SLOTS = 64
const COLUMN = '0'.charCodeAt(0)
const KIB = 1024

const keyOf = (slot: number) => Buffer.from(`row ${slot}`)
const recordOf = (number: number, bytes: number) => Buffer.alloc(bytes, `${number} `)

test('what is read is what was kept last, or nothing, whatever the lengths', () => {
  const writes = fc.array(
    fc.record({
      slot: fc.nat({ max: SLOTS - 1 }),
      bytes: fc.nat({ max: 2_200 }),
      reads: fc.array(fc.nat({ max: SLOTS - 1 }), { maxLength: 4 }),
      drops: fc.boolean(),
    }),
    { minLength: 500, maxLength: 1_500 },
  )
  fc.assert(
    fc.property(writes, (steps) => {
      // Two chunks, which a few hundred records of a kilobyte fill.
      const memory = new RecordMemory(SLOTS, 512 * KIB)
      const kept = new Map<number, Buffer>()
      for (const [number, { slot, bytes, reads, drops }] of steps.entries()) {
        const record = recordOf(number, bytes)
        assert.ok(memory.fits(keyOf(slot), record))
        memory.set(slot, keyOf(slot), COLUMN, record)
        kept.set(slot, record)
        for (const other of reads) {
          if (!memory.has(other)) continue
          assert.deepEqual(memory.view(other, keyOf(other), COLUMN), kept.get(other))
          assert.ok(memory.isOf(other, keyOf(other)))
          assert.ok(memory.isNamed(other, `row ${other}`))
          assert.ok(!memory.isOf(other, keyOf(other + 100)))
        }
        if (drops) {
          memory.drop(slot)
          assert.equal(memory.has(slot), false)
          assert.ok(!memory.isOf(slot, keyOf(slot)))
        }
      }
    }),
    { numRuns: 30 },
  )
})

test('when all chunks are full, rows that were read stay and others are dropped', () => {
  const memory = new RecordMemory(4_096, 512 * KIB)
  const keep = (slot: number) => memory.set(slot, keyOf(slot), COLUMN, recordOf(slot, KIB))
  for (let slot = 0; slot < 400; slot += 1) {
    keep(slot)
    if (slot < 50) memory.view(slot, keyOf(slot), COLUMN)
  }
  for (let slot = 400; slot < 600; slot += 1) keep(slot)
  const stayed = (from: number, to: number) => {
    let count = 0
    for (let slot = from; slot < to; slot += 1) if (memory.has(slot)) count += 1
    return count
  }
  assert.equal(stayed(0, 50), 50)
  assert.ok(stayed(50, 250) < 30, `${stayed(50, 250)}`)
  assert.equal(stayed(400, 600), 200)
  // Not read again, they go in the next round.
  for (let slot = 600; slot < 1_200; slot += 1) keep(slot)
  assert.equal(stayed(0, 50), 0)
})

test('however many rows are read, half of a chunk is for new ones', () => {
  const memory = new RecordMemory(4_096, 256 * KIB)
  for (let slot = 0; slot < 3_000; slot += 1) {
    memory.set(slot, keyOf(slot), COLUMN, recordOf(slot, KIB))
    assert.deepEqual(memory.view(slot, keyOf(slot), COLUMN), recordOf(slot, KIB))
  }
})

test('without memory nothing fits, and nothing that is too long does', () => {
  assert.equal(new RecordMemory(SLOTS, 0).fits(keyOf(1), recordOf(1, 1)), false)
  const memory = new RecordMemory(SLOTS, 256 * KIB)
  assert.equal(memory.fits(keyOf(1), recordOf(1, 2_304)), false)
})
