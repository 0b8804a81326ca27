// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BufferBudget, type BufferedWrite, WriteBuffer } from './write-buffer.ts'

type Write = { readonly row: string; readonly column: string; readonly write: BufferedWrite }

const write: fc.Arbitrary<Write> = fc.record({
  row: fc.constantFrom('ann', 'bob', 'joe'),
  column: fc.constantFrom('0', '1'),
  write: fc.oneof(
    fc.uint8Array({ maxLength: 5 }).map((value): BufferedWrite => ({ kind: 'put', value })),
    fc.constantFrom<BufferedWrite>({ kind: 'delete' }, { kind: 'guard' }),
  ),
})

function writeAll(buffer: WriteBuffer, writes: readonly Write[]): void {
  for (const { row, column, write } of writes) buffer.write(Buffer.from(row), column, write)
}

function contentOf(buffer: WriteBuffer) {
  return buffer.rows().map(({ text, writes }) => ({ text, writes: [...writes].sort() }))
}

test('statements merged one after the other leave what their writes in a row would', () => {
  fc.assert(
    fc.property(fc.array(fc.array(write, { maxLength: 5 })), (statements) => {
      const [budget, mergedBudget] = [new BufferBudget(1_000), new BufferBudget(1_000)]
      const buffer = new WriteBuffer(budget)
      const merged = new WriteBuffer(mergedBudget)
      for (const writes of statements) {
        const layer = new WriteBuffer(mergedBudget)
        writeAll(layer, writes)
        merged.merge(layer)
        assert.equal(layer.isEmpty, true)
        writeAll(buffer, writes)
        assert.deepEqual(contentOf(merged), contentOf(buffer))
        assert.equal(mergedBudget.bytes, budget.bytes)
      }
      merged.release()
      assert.equal(mergedBudget.bytes, 0)
    }),
  )
})
