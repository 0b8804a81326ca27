// SPDX-License-Identifier: Apache-2.0
import type { Mutation } from '../../../storage/cells/mutation.ts'
import {
  decodeStartTs,
  decodeWriteRecord,
} from '../../../storage/transactions/records/write-record.ts'
import type { Group } from '../simulated/simulated-disk.ts'
import { kindOfStep, setCells, startTsOfStep } from '../simulated/step-kind.ts'
import type { Counters } from '../sometimes.ts'
import type { CommitLog } from './commit-log.ts'

/**
 * Watches the groups of an embedded store as they become certain: keeps the log of commits, and counts
 * the rare things that must happen now and then.
 */
export class EmbeddedWatch {
  readonly #log: CommitLog
  readonly #counters: Counters
  /** Which process prewrote the transaction that began at this timestamp. */
  readonly #owners = new Map<number, string>()
  readonly #largeStarts: Set<number>
  #newestCommitTs = 0

  /** `largeStarts`: which transactions have latched in several turns and are not certain to be there. */
  constructor(log: CommitLog, counters: Counters, largeStarts: Set<number>) {
    this.#log = log
    this.#counters = counters
    this.#largeStarts = largeStarts
  }

  /** The largest commit timestamp on the disk. */
  get newestCommitTs(): number {
    return this.#newestCommitTs
  }

  durable({ steps, process }: Group, safePoint: number): void {
    for (const { row, step, matched } of steps) {
      this.#log.applied(row, step, matched, safePoint)
      const applied = matched ? step.ifMatched : step.otherwise
      this.#noteCommits(applied)
      this.#countCollected(applied)
      const kind = kindOfStep(step)
      const startTs = startTsOfStep(step)
      if (startTs === undefined || applied.length === 0) continue
      if (kind === 'prewrite') this.#owners.set(startTs, process)
      const owner = this.#owners.get(startTs)
      if (owner === undefined || owner === process) continue
      if (kind === 'commit') this.#counters.count('two-phase rolled forward after a restart')
      else if (kind.startsWith('rollBack')) {
        this.#counters.count('two-phase rolled back after a restart')
      }
    }
  }

  #noteCommits(applied: readonly Mutation[]): void {
    for (const { family, timestamp, value } of setCells(applied)) {
      if (family !== 'write' && family !== 'guard') continue
      this.#newestCommitTs = Math.max(this.#newestCommitTs, timestamp)
      const startTs = family === 'write' ? decodeWriteRecord(value).startTs : decodeStartTs(value)
      this.#counters.count(this.#owners.has(startTs) ? 'two-phase write' : 'one-phase write')
      if (this.#largeStarts.delete(startTs)) this.#counters.count('large commit committed')
    }
  }

  /** Only garbage collection deletes from these families without a commit or a rollback beside it. */
  #countCollected(applied: readonly Mutation[]): void {
    if (!applied.every(({ kind }) => kind === 'deleteFromColumn')) return
    for (const family of new Set(applied.map((one) => one.family))) {
      if (family === 'write') this.#counters.count('versions collected')
      if (family === 'rollback') this.#counters.count('rollback record collected')
      if (family === 'guard') this.#counters.count('guard collected')
    }
  }
}
