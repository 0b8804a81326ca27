// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { silentLog } from '../../../storage-log.ts'
import type { RowStep } from '../../embedded-cell-store.ts'
import { eventLoopTurn } from '../../event-loop-turn.ts'
import type { Mutation } from '../../mutation.ts'
import { uniteChosen } from '../../row-filter-evaluation.ts'
import { rowKeyText } from '../../row-key.ts'
import type {
  BatchFailure,
  CarriedOutGroup,
  Flushed,
  GroupCommitter,
  LargeBatch,
  RedoRecord,
  StepsBatch,
  WriteBatch,
} from '../groups/write-batch.ts'
import { SqliteWriter } from '../threads/writer.ts'
import { SqlitePackedMemtable } from './packed-memtable.ts'
import { SqliteRedoPath } from './redo-path.ts'

const failure = (kind: BatchFailure['kind']): BatchFailure => {
  const cause = { message: 'the disk is full', code: 'SQLITE_FULL' }
  return { kind, cause: { ...cause, refusal: undefined, cause: undefined } }
}

/**
 * Sets a cell in each row; with `?` behind it, only where the row has none. With `-` the cell is erased, and with
 * `--` all older ones are, too.
 */
function batchOf(...texts: readonly string[]): StepsBatch {
  const column = { family: 'data', qualifier: '0' } as const
  const steps = texts.map((text) => {
    const [row = '', sign] = text.split(/(?=[?-])/)
    const when = sign === '?' ? [{ family: 'data' } as const] : []
    const timestamps = { from: text.endsWith('--') ? 0 : 1, until: 2 }
    const mutation: Mutation =
      sign === '-'
        ? { kind: 'deleteFromColumn', ...column, timestamps }
        : { kind: 'setCell', ...column, timestamp: 1, value: Buffer.from(text) }
    return { row: Buffer.from(row), when, ifMatched: [], otherwise: [mutation] }
  })
  return { kind: 'steps', steps }
}

/** Stands in for the thread: notes what it is asked, and answers when and as told. */
class AsksNoted implements GroupCommitter {
  hasRoomForRedoLog = true
  readonly asked: string[] = []
  disk: Promise<void> = Promise.resolve()
  redoResult: BatchFailure | null = null
  /** So long a group of the redo log takes. */
  redoMs = 0
  flushed: (generation: number) => Promise<Flushed> = async () => ({ failure: null, isDone: true })

  async commitGroup(batches: readonly WriteBatch[]): Promise<CarriedOutGroup> {
    const rows = batches.flatMap((batch): { readonly row: Uint8Array }[] =>
      batch.kind === 'steps' ? [...batch.steps] : [batch],
    )
    this.asked.push(`tables ${rows.map(({ row }) => rowKeyText(row)).join(' ')}`)
    await this.disk
    return { results: batches.map(() => null), ms: 0 }
  }

  async commitLarge({ steps }: LargeBatch) {
    this.asked.push(`tables ${[...steps].map(({ row }) => rowKeyText(row)).join(' ')}`)
    await this.disk
    return null
  }

  async appendRedo({ packed, generation }: RedoRecord): Promise<CarriedOutGroup> {
    const memtable = new SqlitePackedMemtable(packed.length)
    memtable.add(packed)
    const rows = [...memtable.keysFrom('')]
    this.asked.push(`redo ${generation} ${rows.join(' ')}`)
    await this.disk
    return { results: [this.redoResult], ms: this.redoMs }
  }

  readonly cellsFlushed: number[] = []

  async flush(generation: number, cells: number): Promise<Flushed> {
    this.asked.push(`flush ${generation}`)
    this.cellsFlushed.push(cells)
    return await this.flushed(generation)
  }
}

function given(t: TestContext, sealedCells?: number) {
  const committer = new AsksNoted()
  const fatal: unknown[] = []
  let dropped = 0
  const redo = new SqliteRedoPath({
    ...{ committer, use: 'always', sealedCells, log: silentLog },
    beforeDrop: () => {
      dropped += 1
    },
    onFailure: (cause) => writer.fail(cause),
  })
  const writer: SqliteWriter = new SqliteWriter({
    ...{ committer, redo },
    beforeAnswers: () => {},
    onFatal: (error) => fatal.push(error),
  })
  t.after(() => redo.stop())
  const submit = (...texts: readonly string[]) => writer.submit(batchOf(...texts))
  const pendingOf = (text: string) =>
    uniteChosen(redo.pending.rowsOf(text).map((row) => row.slice(0, row.size))).map(({ value }) =>
      value ? Buffer.from(value).toString() : 'erased',
    )
  return { committer, fatal, redo, writer, submit, pendingOf, dropped: () => dropped }
}

describe('the way of plain batches', () => {
  test('R2: those of one turn are one record, and what it sets is pending when the first is answered', async (t) => {
    const { committer, redo, submit, pendingOf } = given(t)
    const disk = Promise.withResolvers<void>()
    committer.disk = disk.promise
    const seen: string[] = []
    const answers = ['b', 'a'].map((row) => submit(row).then(() => seen.push(...pendingOf('a'))))
    await eventLoopTurn()
    assert.deepEqual(committer.asked, ['redo 1 a b'])
    assert.ok(redo.pending.isEmpty)
    disk.resolve()
    await Promise.all(answers)
    assert.deepEqual(seen, ['a', 'a'])
  })

  test('where the disk has no room for a redo log they go to the tables, and what is pending is moved', async (t) => {
    const { committer, redo, submit } = given(t)
    await submit('a')
    committer.hasRoomForRedoLog = false
    await submit('b')
    assert.deepEqual(committer.asked, ['redo 1 a', 'tables b'])
    await submit('a')
    assert.deepEqual(committer.asked.slice(2), ['flush 1', 'tables a'])
    assert.ok(redo.pending.isEmpty)
    committer.hasRoomForRedoLog = true
    await submit('a')
    assert.deepEqual(committer.asked.slice(4), ['redo 2 a'])
  })

  test('how quick the disk is, is told by the groups before', async (t) => {
    const { committer, submit } = given(t)
    const rows = Array.from({ length: 16 }, (_, at) => `row ${at}`)
    committer.redoMs = 100
    await Promise.all(rows.map((row) => submit(row)))
    committer.redoMs = 0
    const disk = Promise.withResolvers<void>()
    committer.disk = disk.promise
    const first = rows.map((row) => submit(row))
    await eventLoopTurn()
    const second = rows.map((row) => submit(row))
    await eventLoopTurn()
    // Of a slow disk the second group waits until the first has been answered.
    assert.equal(committer.asked.length, 2)
    disk.resolve()
    await Promise.all([...first, ...second])
    assert.equal(committer.asked.length, 3)
  })

  test('one that erases a cell is plain, and one that erases a range of cells is not', async (t) => {
    const { committer, submit, pendingOf } = given(t)
    await submit('a')
    await Promise.all([submit('a-', 'b'), submit('c--')])
    assert.deepEqual(committer.asked, ['redo 1 a', 'redo 1 a b', 'tables c'])
    assert.deepEqual(['a', 'b'].map(pendingOf), [['erased'], ['b']])
    await submit('a--')
    assert.deepEqual(committer.asked.slice(3), ['flush 1', 'tables a'])
  })

  test('a batch that asks for what is there goes to the tables, and leaves what is pending where it is', async (t) => {
    const { committer, submit, pendingOf } = given(t)
    await submit('a')
    await Promise.all([submit('b'), submit('c?'), submit('d?'), submit('e')])
    assert.deepEqual(committer.asked, ['redo 1 a', 'redo 1 b', 'tables c d', 'redo 1 e'])
    assert.deepEqual(['a', 'b', 'c', 'e'].map(pendingOf), [['a'], ['b'], [], ['e']])
  })

  test('R4: one that asks for a pending row waits until all is in the tables, and so do those behind it', async (t) => {
    const { committer, submit, redo, dropped } = given(t)
    await Promise.all([submit('a'), submit('b')])
    let parts = 3
    committer.flushed = async () => {
      parts -= 1
      return { failure: null, isDone: parts === 0 }
    }
    await Promise.all([submit('c'), submit('b?'), submit('d')])
    assert.deepEqual(committer.asked, [
      ...['redo 1 a b', 'redo 1 c', 'flush 1', 'flush 1', 'flush 1', 'tables b', 'redo 2 d'],
    ])
    assert.equal(dropped(), 1)
    assert.ok(!redo.pending.has('a') && redo.pending.has('d'))
  })

  test('R4: whether a row is pending is asked when the records under way have been answered', async (t) => {
    const { committer, submit } = given(t)
    const disk = Promise.withResolvers<void>()
    committer.disk = disk.promise
    const answers = [submit('a')]
    await eventLoopTurn()
    for (const text of ['z?', 'a?']) {
      answers.push(...Array.from({ length: 20 }, () => submit(text)))
    }
    await eventLoopTurn()
    await eventLoopTurn()
    assert.deepEqual(committer.asked, ['redo 1 a'])
    disk.resolve()
    await Promise.all(answers)
    const kinds = committer.asked.map((one) => one.split(' ').slice(0, 2).join(' '))
    assert.deepEqual(kinds, ['redo 1', 'tables z', 'flush 1', 'tables a'])
  })

  test('a batch that waits for the records under way is not asked for its rows by each that comes behind it', async (t) => {
    const { committer, redo, submit } = given(t)
    await submit('pending')
    let looks = 0
    const has = redo.pending.has.bind(redo.pending)
    redo.pending.has = (text) => {
      looks += 1
      return has(text)
    }
    const disk = Promise.withResolvers<void>()
    committer.disk = disk.promise
    const answers = [submit('a')]
    await eventLoopTurn()
    answers.push(submit('z?'))
    for (let more = 0; more < 40; more += 1) answers.push(submit(`b${more}`))
    await eventLoopTurn()
    assert.equal(looks, 0)
    disk.resolve()
    await Promise.all(answers)
    assert.ok(looks > 0 && looks <= 3, `${looks} looks`)
  })

  test('a batch that sets no cell is none for the redo log, where nobody would move its record', async (t) => {
    const { committer, writer, redo } = given(t)
    const step = { row: Buffer.from('a'), when: [], ifMatched: [], otherwise: [] }
    await writer.submit({ kind: 'steps', steps: [step] })
    await writer.submit({
      kind: 'steps',
      steps: [],
      note: { timestamp: 1, value: Buffer.from('n') },
    })
    assert.deepEqual(committer.asked, ['tables a', 'redo 1 \0log/00000000000001'])
    assert.ok(!redo.pending.isEmpty)
  })

  test('R4: a counter and a large batch wait as well', async (t) => {
    const { committer, submit, writer } = given(t)
    await submit('a')
    const increments = [{ family: 'data', qualifier: 'n', by: 1n }] as const
    await writer.submit({ kind: 'increment', row: Buffer.from('b'), increments })
    await writer.submit({ kind: 'increment', row: Buffer.from('a'), increments })
    await submit('c')
    await writer.submit({ kind: 'large', steps: batchOf('x', 'y').steps })
    assert.deepEqual(committer.asked, [
      ...['redo 1 a', 'tables b', 'flush 1', 'tables a', 'redo 2 c', 'flush 2', 'tables x y'],
    ])
  })

  test('where the cells cannot be moved, only the batch that needs it fails, and nothing of it was applied', async (t) => {
    const { committer, fatal, submit, pendingOf } = given(t)
    await submit('a')
    committer.flushed = async () => ({ failure: failure('notApplied'), isDone: false })
    const [refused, next] = await Promise.allSettled([submit('a?'), submit('b')])
    assert.ok(refused.status === 'rejected')
    assert.equal(refused.reason.kind, 'full')
    assert.equal(refused.reason.cause.message, 'the disk is full')
    assert.equal(next.status, 'fulfilled')
    assert.deepEqual(committer.asked, ['redo 1 a', 'flush 1', 'redo 2 b'])
    assert.deepEqual(pendingOf('a'), ['a'])
    assert.deepEqual(fatal, [])
  })

  test('a record that did not fit on the disk fails whole, and leaves nothing pending', async (t) => {
    const { committer, submit, redo } = given(t)
    committer.redoResult = failure('notApplied')
    for (const one of await Promise.allSettled([submit('a'), submit('b')])) {
      assert.ok(one.status === 'rejected')
      assert.equal(one.reason.kind, 'full')
    }
    assert.ok(redo.pending.isEmpty)
  })

  test('a disk that fails while cells are moved closes the store, and says so once', async (t) => {
    const { committer, fatal, submit } = given(t)
    await submit('a')
    committer.flushed = async () => ({ failure: failure('unknown'), isDone: false })
    await assert.rejects(submit('a?'), { kind: 'closed' })
    await assert.rejects(submit('b'), { kind: 'closed' })
    assert.equal(fatal.length, 1)
  })
})

describe('moving what is pending', () => {
  test('R2: a generation is moved when it is large enough, but not before all of its records are answered', async (t) => {
    const { committer, submit, redo } = given(t, 4)
    const [early, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await submit('a')
    // Two records under way: the first fills the generation, the second is of it too.
    committer.disk = early.promise
    const first = Array.from({ length: 64 }, (_, at) => submit(`d${at}`))
    committer.disk = late.promise
    const second = Array.from({ length: 64 }, (_, at) => submit(`e${at}`))
    assert.equal(committer.asked.length, 3)
    assert.ok(committer.asked.every((one) => one.startsWith('redo 1')))
    early.resolve()
    await Promise.all(first)
    await eventLoopTurn()
    assert.ok(!committer.asked.includes('flush 1'))
    late.resolve()
    await Promise.all(second)
    await eventLoopTurn()
    assert.ok(committer.asked.includes('flush 1'))
    await eventLoopTurn()
    assert.ok(!redo.pending.has('a') && !redo.pending.has('e0'))
  })

  test('what comes while a generation is moved belongs to the next, and wins where both have a cell', async (t) => {
    const { committer, submit, writer, pendingOf, redo } = given(t, 2)
    const moved = Promise.withResolvers<Flushed>()
    committer.flushed = () => moved.promise
    await submit('a', 'b')
    assert.deepEqual(committer.asked, ['redo 1 a b', 'flush 1'])
    const [later] = batchOf('later').steps
    const again = { ...(later as RowStep), row: Buffer.from('b') }
    await writer.submit({ kind: 'steps', steps: [again, ...batchOf('c').steps] })
    assert.deepEqual(['a', 'b', 'c'].map(pendingOf), [['a'], ['later'], ['c']])
    assert.deepEqual([...redo.pending.keysFrom('b')], ['b', 'c'])
    assert.deepEqual([...redo.pending.keysBefore('b')], ['a'])
    assert.deepEqual([...redo.pending.keysBefore(undefined)], ['c', 'b', 'a'])
    committer.flushed = async () => ({ failure: null, isDone: true })
    moved.resolve({ failure: null, isDone: true })
    await eventLoopTurn()
    assert.deepEqual(['a', 'b', 'c'].map(pendingOf), [[], ['later'], ['c']])
  })

  test('after large groups more is moved at once, and while more comes than can be moved the rest goes to the tables', async (t) => {
    const { committer, submit, redo } = given(t, 100)
    /** Five batches in one turn, of thirty cells each. */
    const submitMany = async (prefix: string) => {
      const batches = Array.from({ length: 5 }, (_, batch) =>
        Array.from({ length: 30 }, (_, at) => `${prefix}${batch * 30 + at}`),
      )
      await Promise.all(batches.map((rows) => submit(...rows)))
    }
    const moved = Promise.withResolvers<Flushed>()
    await submitMany('a')
    committer.flushed = () => moved.promise
    await submitMany('b')
    assert.deepEqual(committer.cellsFlushed, [188, 188])
    await submitMany('c')
    await submitMany('e')
    assert.ok(redo.pending.isBehind)
    committer.asked.length = 0
    await submit('d')
    assert.deepEqual(committer.asked, ['tables d'])
    moved.resolve({ failure: null, isDone: true })
    await eventLoopTurn()
    await submit('c1')
    assert.equal(committer.asked.at(-1), 'redo 3 c1')
  })

  test('when nobody writes for a while all is moved, though there is little of it', async (t) => {
    const { committer, submit, redo } = given(t)
    await submit('a')
    const start = performance.now()
    while (!redo.pending.isEmpty && performance.now() < start + 10_000) await eventLoopTurn()
    assert.deepEqual(committer.asked, ['redo 1 a', 'flush 1'])
  })

  test('a store that is full of what cannot be moved takes nothing in any more, and does when it can again', async (t) => {
    const { committer, writer } = given(t, 1)
    committer.flushed = async () => ({ failure: failure('notApplied'), isDone: false })
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
    committer.flushed = async () => ({ failure: null, isDone: true })
    const [again] = await submitSome()
    assert.equal(again?.status, 'fulfilled')
  })
})
