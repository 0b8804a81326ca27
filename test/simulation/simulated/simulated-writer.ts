// SPDX-License-Identifier: Apache-2.0
import { CellStoreError, type RowMutations } from '../../../storage/cell-store/cell-store.ts'
import { cellOfNotes, type Note } from '../../../storage/cell-store/note.ts'
import type { SeededRandomness } from '../../seeded-randomness.ts'
import type { Counters } from '../sometimes.ts'
import type { CellImage } from './cell-image.ts'
import type { Scheduler } from './scheduler.ts'
import type { Group, SimulatedDisk, TakenStep } from './simulated-disk.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { WriterFaults } from './writer-faults.ts'

/** One call that waits in the queue. */
export type Job = {
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

export type WriterParts = {
  readonly scheduler: Scheduler
  readonly random: SeededRandomness
  readonly faults: WriterFaults
  readonly counters: Counters
  readonly process: SimulatedProcess
  readonly disk: SimulatedDisk
  /** The writer's own state: what is on disk, and the group that it works on. */
  readonly image: CellImage
  /** From now on a new read transaction sees these changes. */
  readonly shown: (changes: readonly RowMutations[]) => void
  /** Called in the turn of the main thread in which a group is answered, before anything else in it. */
  readonly answering: () => void
}

/**
 * The writer thread of an embedded store. It takes what is queued, in order, as groups; each becomes
 * durable and visible, in either order, and is answered after both; one that need only be durable with what comes
 * behind it, mostly when it is visible. It runs on while the main thread
 * is paused, and dies with it.
 */
export class SimulatedWriter {
  readonly #parts: WriterParts
  #queue: Job[] = []
  #isBusy = false
  #closedBy: CellStoreError | undefined
  #answeredUntilMs = 0

  constructor(parts: WriterParts) {
    this.#parts = parts
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
    this.#later(this.#parts.faults.writerMs(), 'writer wakes', () => this.#takeGroup())
  }

  close(): void {
    this.#closedBy ??= new CellStoreError('closed', 'The cell store is closed.')
  }

  #takeGroup(): void {
    const { random, faults, counters, image } = this.#parts
    const waiting = this.#queue.length
    const count = random.fraction() < 0.6 ? waiting : 1 + random.below(waiting)
    const jobs = this.#queue.splice(0, count)
    const fate = faults.drawGroup()
    if (fate === 'refused') {
      counters.count('group failed before COMMIT')
      const refuse = () => {
        for (const { reject } of jobs) reject(notApplied())
      }
      this.#later(faults.writerMs(), 'writer rolls back', () => this.#end(refuse))
      return
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
    const notes = evaluated.flatMap(({ note }) => (note === undefined ? [] : [note]))
    if (notes.length > 1) counters.count('notes of several commits in a cell')
    const noted = changesOf(notes)
    image.apply(noted)
    const group = {
      process: this.#parts.process.name,
      changes: [...evaluated.flatMap(({ changes }) => changes), ...noted],
      steps: evaluated.flatMap(({ steps }) => steps),
    }
    if (count > 1) counters.count('group of several jobs')
    this.#later(faults.writerMs(), 'writer writes frames', () => {
      if (fate === 'commitFails') return this.#failCommit(group, jobs)
      this.#commit(group, () => {
        poisoned?.reject(notApplied())
        for (const { answer } of evaluated) answer()
      })
    })
  }

  #commit(group: Group, answer: () => void): void {
    const { faults, disk, shown, random } = this.#parts
    disk.write(group)
    if (this.#dies()) return
    const syncMs = faults.syncMs()
    const isShownFirst = faults.drawShownFirst()
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
  #failCommit(group: Group, jobs: readonly Job[]): void {
    const { faults, disk, counters, process, random } = this.#parts
    counters.count('COMMIT failed')
    disk.write(group)
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
    if (this.#queue.length > 0) this.#takeGroup()
    else this.#isBusy = false
  }

  /** Messages to the main thread arrive in their order, each in a turn of its own. */
  #answer(answer: () => void): void {
    const { scheduler, faults, process, answering } = this.#parts
    const atMs = Math.max(scheduler.nowMs + faults.writerMs(), this.#answeredUntilMs)
    this.#answeredUntilMs = atMs
    const run = () => {
      answering()
      answer()
    }
    scheduler.after(atMs - scheduler.nowMs, 'is answered by the writer', run, process)
  }

  #dies(): boolean {
    const { faults, process, scheduler } = this.#parts
    if (!faults.drawCrash()) return false
    scheduler.note(`${process.name} dies in its writer`)
    process.crash()
    return true
  }

  #later(ms: number, name: string, run: () => void): void {
    const { scheduler, process } = this.#parts
    scheduler.after(ms, `${process.name} ${name}`, () => {
      if (!process.isDead) run()
    })
  }
}

/** As in the engine, those of a group stand in one cell. */
function changesOf([first, ...others]: readonly Note[]): RowMutations[] {
  return first === undefined ? [] : [cellOfNotes([first, ...others])]
}

function notApplied(): CellStoreError {
  return new CellStoreError('notApplied', 'The write was rolled back.')
}

const EXIT_MS_MAX = 200
