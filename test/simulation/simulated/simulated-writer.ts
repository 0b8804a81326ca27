// SPDX-License-Identifier: Apache-2.0
import { CellStoreError, type RowMutations } from '../../../storage/cells/cell-store.ts'
import { cellOfNotes, type Note } from '../../../storage/cells/note.ts'
import { encodedBytesMax } from '../../../storage/cells/sqlite/groups/group-encoding.ts'
import type {
  BatchResult,
  CarriedOutGroup,
  GroupCommitter,
  WriteBatch,
} from '../../../storage/cells/sqlite/groups/write-batch.ts'
import type { Redo } from '../../../storage/cells/sqlite/redo/redo.ts'
import { RedoLog } from '../../../storage/cells/sqlite/redo/redo-log.ts'
import type {
  Flushed,
  FlushPart,
  RedoRecord,
  RedoThread,
} from '../../../storage/cells/sqlite/redo/redo-thread.ts'
import type { SeededRandomness } from '../../seeded-randomness.ts'
import type { Counters } from '../sometimes.ts'
import type { CellImage } from './cell-image.ts'
import type { Scheduler } from './scheduler.ts'
import type { FileState, Group, SimulatedDisk, TakenStep } from './simulated-disk.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import { NOT_APPLIED, SimulatedRedoFile } from './simulated-redo-file.ts'
import type { WriterFaults } from './writer-faults.ts'

/** One call that waits in the queue. */
export type Job = {
  readonly batch: WriteBatch
  /** Looks at the state that the jobs before it have left, within the group. */
  readonly evaluate: (image: CellImage) => Evaluated
  readonly reject: (error: CellStoreError) => void
}

export type Evaluated = {
  readonly changes: readonly RowMutations[]
  readonly steps: readonly TakenStep[]
  readonly note?: Note | undefined
  readonly answer: () => void
}

export type WriterDependencies = {
  readonly scheduler: Scheduler
  readonly random: SeededRandomness
  readonly faults: WriterFaults
  readonly mayShowFirst: boolean
  readonly counters: Counters
  readonly process: SimulatedProcess
  readonly disk: SimulatedDisk
  /** The writer's own state: what is in the file, and the group that it works on. */
  readonly state: FileState
  /** From now on a new read transaction sees these changes. */
  readonly shown: (changes: readonly RowMutations[]) => void
  /** Called in the turn of the main thread in which a group is answered, before anything else in it. */
  readonly answering: () => void
  /** The redo log broke one of its rules. */
  readonly broken: (cause: unknown) => void
}

/**
 * The queue of an embedded store and the thread that writes. What is queued is taken, in order, as groups of one route,
 * which the real redo log says and carries out. A group for the tables becomes durable and visible, in either order,
 * and is answered after both; a record of the redo log is answered when it is durable. The thread runs on while the
 * main thread is paused, and dies with it.
 */
export class SimulatedWriter implements GroupCommitter, RedoThread {
  readonly hasRoomForRedoLog = true
  readonly #deps: WriterDependencies
  readonly #redoFile: SimulatedRedoFile
  readonly #redoLog: RedoLog
  #redo: Redo | undefined
  #queue: Job[] = []
  /** The group that is being committed. */
  #jobs: readonly Job[] = []
  #isBusy = false
  #closedBy: CellStoreError | undefined
  #answeredUntilMs = 0

  constructor(deps: WriterDependencies) {
    this.#deps = deps
    this.#redoFile = new SimulatedRedoFile(deps.disk, deps.state, deps.shown)
    this.#redoLog = new RedoLog(this.#redoFile)
  }

  /** Flushes what the process before has left. */
  recover(redo: Redo): void {
    this.#redo = redo
    if (this.#redoFile.recordBytes() > 0) this.#deps.counters.count('redo log recovered')
    this.#redoLog.recover(() => false)
  }

  assertOpen(): void {
    if (this.#closedBy !== undefined) throw this.#closedBy
  }

  submit(job: Job): void {
    if (this.#closedBy !== undefined) {
      job.reject(this.#closedBy)
      return
    }
    this.#queue.push(job)
    if (this.#isBusy) return
    this.#isBusy = true
    this.#later(this.#deps.faults.writerMs(), 'writer wakes', () => this.#takeGroup())
  }

  close(): void {
    this.#closedBy ??= new CellStoreError('closed', 'The cell store is closed.')
  }

  #takeGroup(): void {
    const { random, counters } = this.#deps
    const redo = this.#redo as Redo
    const waiting = this.#queue.length
    const count = random.fraction() < 0.6 ? waiting : 1 + random.below(waiting)
    const route = redo.route(queued(this.#queue[0] as Job))
    if (route === 'tables after a flush') {
      counters.count('batch waited for a flush')
      const refuse = () => {
        const [first] = this.#queue.splice(0, 1)
        first?.reject(notApplied())
      }
      redo.flushAll().then((failure) => {
        if (failure !== null) refuse()
        this.#goOn()
      }, this.#deps.broken)
      return
    }
    const others = this.#queue.findIndex((job, at) => at > 0 && redo.route(queued(job)) !== route)
    const jobs = this.#queue.splice(0, others < 0 ? count : Math.min(count, others))
    if (jobs.length > 1) counters.count('group of several jobs')
    this.#jobs = jobs
    const carriedOut = redo.commit(jobs.map(queued), route)
    if (route === 'redo log') {
      carriedOut.then(({ results }) => this.#answerRecord(jobs, results), this.#deps.broken)
    } else carriedOut.catch(this.#deps.broken)
  }

  #answerRecord(jobs: readonly Job[], results: readonly BatchResult[]): void {
    for (const [at, { evaluate, reject }] of jobs.entries()) {
      if (results[at] !== null) reject(notApplied())
      else evaluate(this.#deps.state.tables).answer()
    }
    this.#goOn()
  }

  async appendRedo(record: RedoRecord): Promise<CarriedOutGroup> {
    const { faults, counters, state, disk } = this.#deps
    const jobs = this.#jobs
    const answered = Promise.withResolvers<CarriedOutGroup>()
    const answer = (result: BatchResult) =>
      this.#answer(() => answered.resolve({ results: [result], ms: 0 }), { endsRead: false })
    const fate = faults.drawGroup()
    counters.count('record of the redo log')
    this.#later(faults.writerMs(), 'writer writes a record', () => {
      if (fate === 'refused' || fate === 'poisoned') return answer(NOT_APPLIED)
      this.#redoFile.group = this.#groupOf(jobs.map(({ evaluate }) => evaluate(state.tables)))
      this.#redoLog.append(record)
      if (fate === 'commitFails') return this.#failCommit(jobs)
      if (this.#dies()) return
      if (!this.#redoFile.awaitsSync) return answer(null)
      this.#later(faults.syncMs(), 'record is durable', () => {
        disk.sync()
        if (!this.#dies()) answer(null)
      })
    })
    return await answered.promise
  }

  /** Between the groups, or while one is being synced. */
  async flush(part: FlushPart): Promise<Flushed> {
    const { faults, counters } = this.#deps
    const answered = Promise.withResolvers<Flushed>()
    this.#later(faults.writerMs(), 'writer flushes', () => {
      this.#redoFile.failsOnce = faults.drawGroup() === 'refused'
      const flushed = this.#redoLog.flush(part)
      counters.count(flushed.isDone ? 'memtable flushed' : 'part of a memtable flushed')
      if (this.#dies()) return
      this.#answer(() => answered.resolve(flushed), { endsRead: false })
    })
    return await answered.promise
  }

  async commitLarge(): Promise<never> {
    throw new Error('No batch is that large here.')
  }

  /** The jobs of the group, into the tables. */
  async commitGroup(): Promise<CarriedOutGroup> {
    const jobs = this.#jobs
    const { random, faults, counters, state } = this.#deps
    const image = state.tables
    const answered: CarriedOutGroup = { results: [], ms: 0 }
    const fate = faults.drawGroup()
    if (fate === 'refused') {
      counters.count('group failed before COMMIT')
      const refuse = () => {
        for (const { reject } of jobs) reject(notApplied())
      }
      this.#later(faults.writerMs(), 'writer rolls back', () => this.#end(refuse))
      return answered
    }
    // The group is run again one by one, and only the job that spoiled it fails.
    const poisoned = fate === 'poisoned' ? jobs[random.below(jobs.length)] : undefined
    if (poisoned !== undefined) counters.count('one job of a group failed')
    const good = jobs.filter((job) => job !== poisoned)
    const evaluated = good.map(({ evaluate }) => {
      const one = evaluate(image)
      image.apply(one.changes)
      return one
    })
    const group = this.#groupOf(evaluated)
    image.apply(group.noted)
    this.#later(faults.writerMs(), 'writer writes frames', () => {
      if (fate === 'commitFails') {
        this.#deps.disk.write({ group, changes: group.changes })
        return this.#failCommit(jobs)
      }
      this.#commit(group, () => {
        poisoned?.reject(notApplied())
        for (const { answer } of evaluated) answer()
      })
    })
    return answered
  }

  #groupOf(evaluated: readonly Evaluated[]): Group & { readonly noted: readonly RowMutations[] } {
    const notes = evaluated.flatMap(({ note }) => (note === undefined ? [] : [note]))
    if (notes.length > 1) this.#deps.counters.count('notes of several commits in a cell')
    const noted = changesOf(notes)
    return {
      process: this.#deps.process.name,
      changes: [...evaluated.flatMap(({ changes }) => changes), ...noted],
      steps: evaluated.flatMap(({ steps }) => steps),
      noted,
    }
  }

  #commit(group: Group, answer: () => void): void {
    const { faults, mayShowFirst, disk, shown, random } = this.#deps
    disk.write({ group, changes: group.changes })
    if (this.#dies()) return
    const syncMs = faults.syncMs()
    const isShownFirst = mayShowFirst && faults.drawShownFirst()
    const showMs = isShownFirst ? random.fraction() * syncMs : syncMs + faults.writerMs()
    let left = 2
    const done = () => {
      left -= 1
      if (left === 0) this.#end(answer)
    }
    this.#later(showMs, 'group is visible', () => {
      shown(group.changes)
      done()
    })
    this.#later(syncMs, 'group is durable', () => {
      disk.sync()
      if (!this.#dies()) done()
    })
  }

  /** Nobody knows whether the group will be found there, so the process has to end. */
  #failCommit(jobs: readonly Job[]): void {
    const { faults, disk, counters, process, random } = this.#deps
    counters.count('COMMIT failed')
    this.#later(faults.syncMs(), 'COMMIT fails', () => {
      disk.failCommit()
      const isSilent = random.fraction() < 0.3
      if (isSilent) return process.crash()
      this.#answer(() => {
        const error = new CellStoreError('closed', 'The disk failed.')
        this.#closedBy ??= error
        for (const { reject } of jobs) reject(new CellStoreError('ambiguous', 'The disk failed.'))
        for (const { reject } of this.#queue.splice(0)) reject(error)
        this.#later(random.fraction() * EXIT_MS_MAX, 'exits', () => process.crash())
      })
    })
  }

  #end(answer: () => void): void {
    this.#answer(answer)
    this.#goOn()
  }

  #goOn(): void {
    if (this.#queue.length > 0) this.#takeGroup()
    else this.#isBusy = false
  }

  /** Messages to the main thread arrive in their order, each in a turn of its own. */
  #answer(answer: () => void, { endsRead = true }: { readonly endsRead?: boolean } = {}): void {
    const { scheduler, faults, process, answering } = this.#deps
    const atMs = Math.max(scheduler.nowMs + faults.writerMs(), this.#answeredUntilMs)
    this.#answeredUntilMs = atMs
    const run = () => {
      if (endsRead) answering()
      answer()
    }
    scheduler.after(atMs - scheduler.nowMs, 'is answered by the writer', run, process)
  }

  #dies(): boolean {
    const { faults, process, scheduler } = this.#deps
    if (!faults.drawCrash()) return false
    scheduler.note(`${process.name} dies in its writer`)
    process.crash()
    return true
  }

  #later(ms: number, name: string, run: () => void): void {
    const { scheduler, process } = this.#deps
    scheduler.after(ms, `${process.name} ${name}`, () => {
      if (!process.isDead) run()
    })
  }
}

function queued({ batch }: Job) {
  return { batch, bytes: encodedBytesMax(batch) }
}

/** As in the engine, those of a group stand in one cell. */
function changesOf([first, ...others]: readonly Note[]): RowMutations[] {
  return first === undefined ? [] : [cellOfNotes([first, ...others])]
}

function notApplied(): CellStoreError {
  return new CellStoreError('notApplied', 'The write was rolled back.')
}

const EXIT_MS_MAX = 200
