// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { silentLog } from '../../../storage-log.ts'
import { nextTurn } from '../../../turns/turns.ts'
import type { CellStoreError } from '../../cell-store.ts'
import { encodedBytesMax } from '../groups/group-encoding.ts'
import type {
  BatchResult,
  GroupCommitter,
  LargeBatch,
  StepsBatch,
  WriteBatch,
} from '../groups/write-batch.ts'
import { Redo } from '../redo/redo.ts'
import type { RedoThread } from '../redo/redo-thread.ts'
import { SqliteWriter } from './writer.ts'

const DISK_FULL = { message: 'the disk is full', code: 'SQLITE_FULL' } as const
const failure = (kind: 'notApplied' | 'unknown') =>
  ({ kind, cause: { ...DISK_FULL, refusal: undefined, cause: undefined } }) as const

/** One step for each of the rows. */
function batchOf(rows: readonly string[], value: Uint8Array = Buffer.from('x')): StepsBatch {
  const cell = { kind: 'setCell', family: 'data', qualifier: '0', timestamp: 1, value } as const
  const steps = rows.map((row) => {
    return { row: Buffer.from(row), when: [], ifMatched: [], otherwise: [cell] }
  })
  return { kind: 'steps', steps }
}

const rowsOf = (batch: WriteBatch) =>
  batch.kind === 'steps' ? batch.steps.map(({ row }) => Buffer.from(row).toString()) : []

/** Stands in for the thread: notes the groups, and answers when and as told. */
class GroupsNoted implements GroupCommitter, RedoThread {
  readonly hasRoomForRedoLog = true
  readonly groups: string[][] = []
  msOfEachBatch = 0
  answer: (batches: readonly WriteBatch[]) => Promise<readonly BatchResult[]> = async (batches) =>
    batches.map(() => null)

  get sizes(): number[] {
    return this.groups.map((group) => group.length)
  }

  /** Groups that are sent from now on are answered when this has resolved. */
  answerAfter(disk: Promise<void>): void {
    this.answer = async (batches) => {
      await disk
      return batches.map(() => null)
    }
  }

  async commitGroup(batches: readonly WriteBatch[], bytes: number) {
    this.groups.push(batches.flatMap(rowsOf))
    const sum = batches.reduce((sum, batch) => sum + encodedBytesMax(batch), 0)
    assert.equal(bytes, sum)
    return { results: await this.answer(batches), ms: this.msOfEachBatch * batches.length }
  }

  async appendRedo(): Promise<never> {
    throw new Error('nothing goes to the redo log here')
  }

  async flush(): Promise<never> {
    throw new Error('nothing is in the redo log here')
  }

  async commitLarge({ steps }: LargeBatch) {
    const batch: StepsBatch = { kind: 'steps', steps: [...steps] }
    this.groups.push(rowsOf(batch))
    return { results: await this.answer([batch]), ms: 0 }
  }
}

function given() {
  const committer = new GroupsNoted()
  const fatal: CellStoreError[] = []
  const told: string[] = []
  const redo = new Redo({
    ...{ thread: committer, use: 'never', log: silentLog },
    ...{ beforeDrop: () => {}, onFailure: assert.ifError },
  })
  const writer = new SqliteWriter({
    redo,
    beforeAnswers: () => told.push('before the answers'),
    onFatal: (error) => fatal.push(error),
  })
  return { committer, fatal, told, writer }
}

describe('group commit', () => {
  test('what is asked in one turn of the event loop is one group, in its order', async () => {
    const { committer, writer } = given()
    const submitLater = async (row: string, ticks: number) => {
      for (let left = ticks; left > 0; left--) await Promise.resolve()
      return writer.submit(batchOf([row]))
    }
    await Promise.all([submitLater('a', 0), submitLater('b', 5), submitLater('c', 10)])
    await writer.submit(batchOf(['d']))
    assert.deepEqual(committer.groups, [['a', 'b', 'c'], ['d']])
  })

  test('while a group is being committed the next one gathers, over any number of turns', async () => {
    const { committer, writer } = given()
    const disk = Promise.withResolvers<void>()
    committer.answerAfter(disk.promise)
    const answers = [writer.submit(batchOf(['a']))]
    for (const row of ['b', 'c', 'd']) {
      await nextTurn()
      answers.push(writer.submit(batchOf([row])))
    }
    assert.deepEqual(committer.groups, [['a']])
    disk.resolve()
    await Promise.all(answers)
    assert.deepEqual(committer.groups, [['a'], ['b', 'c', 'd']])
  })

  test('sixteen batches need not wait for the group before them, but for two groups everybody waits', async () => {
    const { committer, writer } = given()
    const disk = Promise.withResolvers<void>()
    committer.answerAfter(disk.promise)
    const answers: Promise<unknown>[] = []
    for (const count of [1, 15, 1, 16]) {
      for (let at = 0; at < count; at += 1) answers.push(writer.submit(batchOf([String(at)])))
      await nextTurn()
    }
    assert.deepEqual(committer.sizes, [1, 16])
    disk.resolve()
    await Promise.all(answers)
    assert.deepEqual(committer.sizes, [1, 16, 16])
  })

  test('for a quick disk sixty-four batches do not wait for the end of their turn, for a slow one all do', async () => {
    const { committer, writer } = given()
    const submitAll = async (count: number) => {
      committer.groups.length = 0
      const rows = Array.from({ length: count }, (_, at) => String(at))
      const answers = rows.map((row) => writer.submit(batchOf([row])))
      const early = committer.sizes
      await Promise.all(answers)
      assert.deepEqual(committer.groups.flat(), rows)
      return { early, all: committer.sizes }
    }
    assert.deepEqual(await submitAll(63), { early: [], all: [63] })
    assert.deepEqual(await submitAll(79), { early: [64], all: [64, 15] })
    // Two groups are under way: the rest waits until one of them is answered.
    assert.deepEqual(await submitAll(144), { early: [64, 64], all: [64, 64, 16] })
    committer.msOfEachBatch = 1
    assert.deepEqual(await submitAll(64), { early: [64], all: [64] })
    // It was found to be slow, and has one group at a time until it is quick again.
    assert.deepEqual(await submitAll(96), { early: [], all: [96] })
    committer.msOfEachBatch = 0
    assert.deepEqual(await submitAll(96), { early: [], all: [96] })
    assert.deepEqual(await submitAll(64), { early: [64], all: [64] })
  })

  test('a group has at most a thousand steps and four mebibytes; a batch is never divided', async () => {
    const { committer, writer } = given()
    committer.msOfEachBatch = 1
    const rows = Array.from({ length: 2_500 }, (_, at) => String(at))
    await Promise.all(rows.map((row) => writer.submit(batchOf([row]))))
    const sizes = () => committer.groups.splice(0).map((group) => group.length)
    assert.deepEqual(committer.groups.flat(), rows)
    assert.deepEqual(sizes(), [64, 64, 1_000, 1_000, 372])

    const batches = [600, 400, 600, 1_500, 1].map((steps) => batchOf(rows.slice(0, steps)))
    await Promise.all(batches.map((batch) => writer.submit(batch)))
    assert.deepEqual(sizes(), [1_000, 600, 1_500, 1])

    const values = [3, 3, 5, 1, 2].map((mebibytes) => new Uint8Array(mebibytes * 1024 * 1024))
    await Promise.all(values.map((value, at) => writer.submit(batchOf([String(at)], value))))
    assert.deepEqual(committer.groups, [['0'], ['1'], ['2'], ['3', '4']])
  })

  test('the view is renewed before the first promise of a group is settled', async () => {
    const { committer, told, writer } = given()
    committer.answer = async () => [null, failure('notApplied')]
    const answers = ['a', 'b'].map((row) => {
      const settled = () => told.push(row)
      return writer.submit(batchOf([row])).then(settled, settled)
    })
    await Promise.all(answers)
    assert.deepEqual(told, ['before the answers', 'a', 'b'])
  })

  test('a batch that was rolled back fails definitely and alone, and the next group is tried', async () => {
    const { committer, fatal, writer } = given()
    committer.answer = async () => [null, failure('notApplied'), [true]]
    const answers = ['a', 'b', 'c'].map((row) => writer.submit(batchOf([row])))
    const [a, b, c] = await Promise.allSettled(answers)
    assert.deepEqual(
      [a, c].map((one) => one?.status === 'fulfilled' && one.value),
      [[false], [true]],
    )
    const { kind, cause } = (b as PromiseRejectedResult).reason
    assert.deepEqual([kind, cause.code, cause.message], ['full', 'SQLITE_FULL', 'the disk is full'])
    committer.answer = async () => [[true]]
    assert.deepEqual(await writer.submit(batchOf(['d'])), [true])
    assert.deepEqual(fatal, [])
  })

  for (const [scenario, answer] of [
    [
      'a COMMIT in doubt',
      async (batches: readonly WriteBatch[]) => batches.map(() => failure('unknown')),
    ],
    ['a thread that died', () => Promise.reject(new Error('the disk is full'))],
  ] as const) {
    test(`${scenario}: its group is ambiguous, all else is closed, and it is said once`, async () => {
      const { committer, fatal, writer } = given()
      committer.answer = answer
      const rows = Array.from({ length: 140 }, (_, at) => String(at))
      const results = await Promise.allSettled(rows.map((row) => writer.submit(batchOf([row]))))
      const kinds = results.map((result) => result.status === 'rejected' && result.reason.kind)
      assert.deepEqual(kinds, [...Array(128).fill('ambiguous'), ...Array(12).fill('closed')])
      await assert.rejects(writer.submit(batchOf(['z'])), { kind: 'closed' })
      assert.throws(() => writer.assertOpen(), { kind: 'closed' })
      assert.deepEqual(
        fatal.map(({ cause }) => (cause as Error).message),
        ['the disk is full'],
      )
      assert.equal(committer.groups.length, 2)
      assert.equal(writer.hasFailed, true)
    })
  }

  test('a large batch is a group of its own and keeps its place among the others', async () => {
    const { committer, writer } = given()
    const large: LargeBatch = { kind: 'large', steps: batchOf(['b', 'c']).steps }
    const batches = [batchOf(['a']), large, batchOf(['d'])]
    await Promise.all(batches.map((batch) => writer.submit(batch)))
    assert.deepEqual(committer.groups, [['a'], ['b', 'c'], ['d']])
  })

  test('a large batch has the thread to itself: it is sent in parts, and nothing comes between them', async () => {
    const { committer, writer } = given()
    const [first, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    committer.answerAfter(first.promise)
    const large: LargeBatch = { kind: 'large', steps: batchOf(['b', 'c']).steps }
    const batches = [batchOf(['a']), large, ...Array.from({ length: 20 }, () => batchOf(['d']))]
    const answers = batches.map((batch) => writer.submit(batch))
    await nextTurn()
    assert.deepEqual(committer.sizes, [1])
    committer.answerAfter(rest.promise)
    first.resolve()
    await answers[0]
    await nextTurn()
    await nextTurn()
    assert.deepEqual(committer.sizes, [1, 2])
    rest.resolve()
    await Promise.all(answers)
    assert.deepEqual(committer.sizes, [1, 2, 20])
  })

  test('close carries out what was asked before it, and refuses what comes after', async () => {
    const { committer, fatal, writer } = given()
    const before = ['a', 'b'].map((row) => writer.submit(batchOf([row])))
    const closed = writer.close()
    await assert.rejects(writer.submit(batchOf(['c'])), { kind: 'closed' })
    await closed
    assert.deepEqual(committer.groups, [['a', 'b']])
    assert.deepEqual(await Promise.all(before), [[false], [false]])
    await writer.close()
    assert.deepEqual(fatal, [])
  })

  test('a COMMIT in doubt while the writer closes: what is queued behind it is not tried', async () => {
    const { committer, fatal, writer } = given()
    committer.answer = async (batches) => batches.map(() => failure('unknown'))
    const rows = Array.from({ length: 2_001 }, (_, at) => String(at))
    const answers = Promise.allSettled(rows.map((row) => writer.submit(batchOf([row]))))
    await writer.close()
    assert.equal(committer.groups.length, 2)
    assert.equal((await answers).at(-1)?.status, 'rejected')
    assert.equal(fatal.length, 1)
  })
})
