// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { batchOf, failure, givenRedo } from '../../../../test/cell-store/redo-scene.ts'
import { nextTurn } from '../../../turns/turns.ts'
import type { RowStep } from '../../cell-store.ts'

describe('the way of plain batches', () => {
  test('R2: those of one turn are one record, and what it sets is in a memtable when the first is answered', async (t) => {
    const { thread, submit, memtables } = givenRedo(t)
    const disk = Promise.withResolvers<void>()
    thread.disk = disk.promise
    const seen: string[] = []
    const answers = ['b', 'a'].map((row) =>
      submit(row).then(() => seen.push(memtables().join(' '))),
    )
    await nextTurn()
    assert.deepEqual(thread.asked, ['redo a b'])
    assert.deepEqual(memtables(), [])
    disk.resolve()
    await Promise.all(answers)
    assert.deepEqual(seen, ['a b', 'a b'])
  })

  test('where the disk has no room for a redo log they go to the tables, and the memtables are flushed', async (t) => {
    const { thread, submit, memtables } = givenRedo(t)
    await submit('a')
    thread.hasRoomForRedoLog = false
    await submit('b')
    assert.deepEqual(thread.asked, ['redo a', 'tables b'])
    await submit('a')
    assert.deepEqual(thread.asked.slice(2), ['flush', 'tables a'])
    assert.deepEqual(memtables(), [])
    thread.hasRoomForRedoLog = true
    await submit('a')
    assert.deepEqual(thread.asked.slice(4), ['redo a'])
  })

  test('how quick the disk is, is told by the groups before', async (t) => {
    const { thread, submit } = givenRedo(t)
    const rows = Array.from({ length: 16 }, (_, at) => `row ${at}`)
    thread.redoMs = 100
    await Promise.all(rows.map((row) => submit(row)))
    thread.redoMs = 0
    const disk = Promise.withResolvers<void>()
    thread.disk = disk.promise
    const first = rows.map((row) => submit(row))
    await nextTurn()
    const second = rows.map((row) => submit(row))
    await nextTurn()
    // Of a slow disk the second group waits until the first has been answered.
    assert.equal(thread.asked.length, 2)
    disk.resolve()
    await Promise.all([...first, ...second])
    assert.equal(thread.asked.length, 3)
  })

  test('one that erases a cell is not plain', async (t) => {
    const { thread, submit, memtables } = givenRedo(t)
    await submit('a')
    await Promise.all([submit('b'), submit('c-')])
    assert.deepEqual(thread.asked, ['redo a', 'redo b', 'tables c'])
    assert.deepEqual(memtables(), ['a', 'b'])
    await submit('a-')
    assert.deepEqual(thread.asked.slice(3), ['flush', 'tables a'])
  })

  test('a batch that asks for what is there goes to the tables, and leaves the memtables as they are', async (t) => {
    const { thread, submit, memtables } = givenRedo(t)
    await submit('a')
    await Promise.all([submit('b'), submit('c?'), submit('d?'), submit('e')])
    assert.deepEqual(thread.asked, ['redo a', 'redo b', 'tables c d', 'redo e'])
    assert.deepEqual(memtables(), ['a', 'b', 'e'])
  })

  test('R4: one that asks for a row of a memtable waits until all is in the tables, and so do those after it', async (t) => {
    const { thread, submit, memtables, dropped } = givenRedo(t)
    await Promise.all([submit('a'), submit('b')])
    let parts = 3
    thread.flushed = async () => {
      parts -= 1
      return { failure: null, isDone: parts === 0 }
    }
    await Promise.all([submit('c'), submit('b?'), submit('d')])
    assert.deepEqual(thread.asked, [
      ...['redo a b', 'redo c', 'flush', 'flush', 'flush', 'tables b', 'redo d'],
    ])
    assert.equal(dropped(), 1)
    assert.deepEqual(memtables(), ['d'])
  })

  test('R4: whether a memtable has a row is asked when the records in flight have been answered', async (t) => {
    const { thread, submit } = givenRedo(t)
    const disk = Promise.withResolvers<void>()
    thread.disk = disk.promise
    const answers = [submit('a')]
    await nextTurn()
    for (const text of ['z?', 'a?']) {
      answers.push(...Array.from({ length: 20 }, () => submit(text)))
    }
    await nextTurn()
    await nextTurn()
    assert.deepEqual(thread.asked, ['redo a'])
    disk.resolve()
    await Promise.all(answers)
    const kinds = thread.asked.map((one) => one.split(' ').slice(0, 2).join(' '))
    assert.deepEqual(kinds, ['redo a', 'tables z', 'flush', 'tables a'])
  })

  test('a batch that waits for the records in flight is not asked for its rows by each that comes after it', async (t) => {
    const { thread, writer, submit } = givenRedo(t)
    await submit('in a memtable')
    const disk = Promise.withResolvers<void>()
    thread.disk = disk.promise
    const answers: Promise<unknown>[] = [submit('a')]
    await nextTurn()
    let looks = 0
    const [step] = batchOf('z?').steps as [RowStep]
    const counted: RowStep = {
      ...{ when: step.when, ifMatched: step.ifMatched, otherwise: step.otherwise },
      get row() {
        looks += 1
        return step.row
      },
    }
    answers.push(writer.submit({ kind: 'steps', steps: [counted] }))
    const looksOfSubmit = looks
    for (let more = 0; more < 40; more += 1) answers.push(submit(`b${more}`))
    await nextTurn()
    assert.equal(looks, looksOfSubmit)
    disk.resolve()
    await Promise.all(answers)
    assert.ok(looks > looksOfSubmit && looks <= looksOfSubmit + 6, `${looks} looks`)
  })

  test('a batch that sets no cell is none for the redo log, where nobody would flush its record', async (t) => {
    const { thread, writer, memtables } = givenRedo(t)
    const step = { row: Buffer.from('a'), when: [], ifMatched: [], otherwise: [] }
    await writer.submit({ kind: 'steps', steps: [step] })
    await writer.submit({
      kind: 'steps',
      steps: [],
      note: { timestamp: 1, value: Buffer.from('n') },
    })
    assert.deepEqual(thread.asked, ['tables a', 'redo \0log/00000000000001'])
    assert.deepEqual(memtables(), ['n'])
  })

  test('a batch of many rows is plain, and one of a few long rows is not', async (t) => {
    const { thread, writer } = givenRedo(t)
    const batch = (row: string, rows: number, bytes: number) => {
      const steps = batchOf(...Array.from({ length: rows }, (_, at) => `${row}${at}`)).steps
      const value = Buffer.alloc(bytes)
      const long = steps.map((step) => ({
        ...step,
        otherwise: [
          { kind: 'setCell', family: 'data', qualifier: '0', timestamp: 1, value } as const,
        ],
      }))
      return writer.submit({ kind: 'steps', steps: long })
    }
    await batch('a', 100, 1_000)
    await batch('b', 2, 10_000)
    await batch('c', 600, 1_000)
    const kinds = thread.asked.map((one) => one.split('0')[0])
    assert.deepEqual(kinds, ['redo a', 'tables b', 'tables c'])
  })

  test('R4: a counter and a large batch wait as well', async (t) => {
    const { thread, writer, submit } = givenRedo(t)
    await submit('a')
    const increments = [{ family: 'data', qualifier: 'n', by: 1n }] as const
    await writer.submit({ kind: 'increment', row: Buffer.from('b'), increments })
    await writer.submit({ kind: 'increment', row: Buffer.from('a'), increments })
    await submit('c')
    await writer.submit({ kind: 'large', steps: batchOf('x', 'y').steps })
    assert.deepEqual(thread.asked, [
      ...['redo a', 'tables b', 'flush', 'tables a', 'redo c', 'flush', 'tables x y'],
    ])
  })

  test('where the cells cannot be flushed, only the batch that needs it fails, and nothing of it was applied', async (t) => {
    const { thread, fatal, submit, memtables } = givenRedo(t)
    await submit('a')
    thread.flushed = async () => ({ failure: failure('notApplied'), isDone: false })
    const [refused, next] = await Promise.allSettled([submit('a?'), submit('b')])
    assert.ok(refused.status === 'rejected')
    assert.equal(refused.reason.kind, 'full')
    assert.equal(refused.reason.cause.message, 'the disk is full')
    assert.equal(next.status, 'fulfilled')
    assert.deepEqual(thread.asked, ['redo a', 'flush', 'redo b'])
    assert.deepEqual(memtables(), ['a', 'b'])
    assert.deepEqual(fatal, [])
  })

  test('a record that did not fit on the disk fails whole, and leaves nothing in a memtable', async (t) => {
    const { thread, submit, memtables } = givenRedo(t)
    thread.redoResult = failure('notApplied')
    for (const one of await Promise.allSettled([submit('a'), submit('b')])) {
      assert.ok(one.status === 'rejected')
      assert.equal(one.reason.kind, 'full')
    }
    assert.deepEqual(memtables(), [])
  })

  test('a disk that fails while cells are flushed closes the store, and says so once', async (t) => {
    const { thread, fatal, submit } = givenRedo(t)
    await submit('a')
    thread.flushed = async () => ({ failure: failure('unknown'), isDone: false })
    await assert.rejects(submit('a?'), { kind: 'closed' })
    await assert.rejects(submit('b'), { kind: 'closed' })
    assert.equal(fatal.length, 1)
  })
})
