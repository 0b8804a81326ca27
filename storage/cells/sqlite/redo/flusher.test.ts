// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { batchOf, failure, givenRedo } from '../../../../test/cell-store/redo-scene.ts'
import { nextTurn } from '../../../turns/turns.ts'
import type { RowStep } from '../../cell-store.ts'
import type { Flushed } from './redo-thread.ts'

describe('flushing memtables', () => {
  test('R2: a memtable is flushed when it is large enough, but not before all of its records are answered', async (t) => {
    const { thread, submit, memtables } = givenRedo(t, 4)
    const [early, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await submit('a')
    // Two records under way: the first fills the memtable, the second is of it too.
    thread.disk = early.promise
    const first = Array.from({ length: 64 }, (_, at) => submit(`d${at}`))
    thread.disk = late.promise
    const second = Array.from({ length: 64 }, (_, at) => submit(`e${at}`))
    assert.equal(thread.asked.length, 3)
    assert.ok(thread.asked.every((one) => one.startsWith('redo ')))
    early.resolve()
    await Promise.all(first)
    await nextTurn()
    assert.ok(!thread.asked.includes('flush'))
    late.resolve()
    await Promise.all(second)
    await nextTurn()
    assert.ok(thread.asked.includes('flush'))
    await nextTurn()
    assert.deepEqual(memtables(), [])
  })

  test('what comes while a memtable is flushed belongs to the next, and wins where both have a cell', async (t) => {
    const { thread, writer, submit, memtables } = givenRedo(t, 2)
    const flushed = Promise.withResolvers<Flushed>()
    thread.flushed = () => flushed.promise
    await submit('a', 'b')
    assert.deepEqual(thread.asked, ['redo a b', 'flush'])
    const [later] = batchOf('later').steps
    const again = { ...(later as RowStep), row: Buffer.from('b') }
    await writer.submit({ kind: 'steps', steps: [again, ...batchOf('c').steps] })
    assert.deepEqual(memtables(), ['a', 'later', 'c'])
    thread.flushed = async () => ({ failure: null, isDone: true })
    flushed.resolve({ failure: null, isDone: true })
    await nextTurn()
    assert.deepEqual(memtables(), ['later', 'c'])
  })

  test('after large groups more is flushed at once, and while more comes than can be flushed the rest goes to the tables', async (t) => {
    const { thread, submit } = givenRedo(t, 100)
    /** Five batches in one turn, of thirty cells each. */
    const submitMany = async (prefix: string) => {
      const batches = Array.from({ length: 5 }, (_, batch) =>
        Array.from({ length: 30 }, (_, at) => `${prefix}${batch * 30 + at}`),
      )
      await Promise.all(batches.map((rows) => submit(...rows)))
    }
    const flushed = Promise.withResolvers<Flushed>()
    await submitMany('a')
    thread.flushed = () => flushed.promise
    await submitMany('b')
    assert.deepEqual(thread.cellsFlushed, [188, 188])
    await submitMany('c')
    await submitMany('e')
    thread.asked.length = 0
    await submit('d')
    assert.deepEqual(thread.asked, ['tables d'])
    flushed.resolve({ failure: null, isDone: true })
    await nextTurn()
    await submit('c1')
    assert.equal(thread.asked.at(-1), 'redo c1')
  })

  test('a memtable of long rows keeps to its bytes while the one before is flushed', async (t) => {
    const { thread, redo, writer } = givenRedo(t)
    thread.flushed = () => Promise.withResolvers<Flushed>().promise
    const column = { family: 'data', qualifier: '0', timestamp: 1 } as const
    const value = Buffer.alloc(1_000)
    const setCell = { kind: 'setCell', ...column, value } as const
    let batches = 0
    while (!thread.asked.at(-1)?.startsWith('tables')) {
      batches += 1
      assert.ok(batches < 1_000)
      const rows = Array.from({ length: 100 }, (_, at) => `${batches}/${at}`)
      const steps = batchOf(...rows).steps.map((step) => ({ ...step, otherwise: [setCell] }))
      await writer.submit({ kind: 'steps', steps })
    }
    const mib = redo.memtables.bytes / 2 ** 20
    assert.ok(mib > 26 && mib < 28, `${mib} MiB`)
  })

  test('when nobody writes for a while all is flushed, though there is little of it', async (t) => {
    const { thread, submit, memtables } = givenRedo(t)
    await submit('a')
    const start = performance.now()
    while (memtables().length > 0 && performance.now() < start + 10_000) await nextTurn()
    assert.deepEqual(thread.asked, ['redo a', 'flush'])
  })

  test('a store that is full of what cannot be flushed takes nothing in any more, and does when it can again', async (t) => {
    const { thread, writer } = givenRedo(t, 1)
    thread.flushed = async () => ({ failure: failure('notApplied'), isDone: false })
    const [cell] = batchOf('a').steps[0]?.otherwise ?? []
    assert.ok(cell?.kind === 'setCell')
    const large = { ...cell, value: new Uint8Array(3_500) }
    const submitSome = () =>
      Promise.allSettled(
        Array.from({ length: 30 }, (_, at) =>
          writer.submit({
            kind: 'steps',
            steps: [{ row: Buffer.from(`${at}`), when: [], ifMatched: [], otherwise: [large] }],
          }),
        ),
      )
    let refused = 0
    for (let times = 0; refused === 0; times += 1) {
      assert.ok(times < 100, 'it takes in whatever comes')
      refused = (await submitSome()).filter(({ status }) => status === 'rejected').length
    }
    thread.flushed = async () => ({ failure: null, isDone: true })
    const [again] = await submitSome()
    assert.equal(again?.status, 'fulfilled')
  })
})
