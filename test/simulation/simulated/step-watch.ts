// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../../storage/cells/cell-store.ts'
import { readOracleState } from '../../../storage/transactions/oracle/oracle-row.ts'
import { decodeWriteRecord } from '../../../storage/transactions/records/write-record.ts'
import type { CommitLog } from '../checkers/commit-log.ts'
import type { Counters } from '../sometimes.ts'
import type { AppliedStep } from './simulated-cell-store.ts'
import { kindOfStep, startTsOfStep } from './step-kind.ts'

/**
 * Watches the steps of the protocol as the store takes them: keeps the log of commits, and counts the
 * rare things that must happen now and then.
 */
export class StepWatch {
  readonly #inner: CellStore
  readonly #log: CommitLog
  readonly #counters: Counters
  /** Which process prewrote the transaction that began at this timestamp. */
  readonly #owners = new Map<number, string>()

  constructor(inner: CellStore, log: CommitLog, counters: Counters) {
    this.#inner = inner
    this.#log = log
    this.#counters = counters
  }

  async applied(call: AppliedStep): Promise<void> {
    const { row, step, matched, process, sender } = call
    const kind = kindOfStep(step)
    const startTs = startTsOfStep(step)
    if (kind === 'other' || startTs === undefined) return
    const isRollback = kind.endsWith('Primary')
    const safePoint = isRollback ? (await readOracleState(this.#inner)).safePoint : 0
    this.#log.applied(row, step, matched, safePoint)
    if (kind === 'prewrite') this.#owners.set(startTs, process.name)
    const isStranger = this.#owners.get(startTs) !== process.name
    const who = sender === 'client' ? 'reader' : 'sweeper'
    switch (kind) {
      case 'prewrite':
        if (matched) await this.#refusedPrewrite(call, startTs)
        return
      case 'commit':
        if (matched && isStranger) this.#counters.count(`${who} rolled a stranger forward`)
        if (!matched && !isStranger) await this.#uselessCommit(call, startTs)
        return
      case 'heartbeat':
        this.#counters.count(matched ? 'heartbeat renewed a lock' : 'heartbeat found its lock gone')
        return
      case 'rollBackSeenPrimary':
        if (!matched) return
        this.#counters.count('rollback record written for a primary that was seen locked')
        if (isStranger) this.#counters.count(`${who} rolled a stranger back`)
        return
      case 'rollBackUnseenPrimary':
        if (!matched) {
          this.#counters.count('rollback record written for a primary that was seen unlocked')
        }
    }
  }

  async #refusedPrewrite({ row, step }: AppliedStep, startTs: number): Promise<void> {
    const [image] = await this.#inner.readRows([row], step.when)
    const cells = image?.cells ?? []
    const has = (holds: (cell: (typeof cells)[number]) => boolean) => cells.some(holds)
    if (has(({ family }) => family === 'rollback')) {
      this.#counters.count('rollback record refused a late prewrite')
    }
    if (has(({ family, timestamp }) => family === 'lock' && timestamp === startTs)) {
      this.#counters.count('own lock found after a lost answer')
    }
    if (has(({ family, value }) => family === 'write' && isRecordOf(value, startTs))) {
      this.#counters.count('late prewrite met its own commit')
    }
    if (has(({ family }) => family === 'guard')) this.#counters.count('guard refused a prewrite')
  }

  async #uselessCommit({ row }: AppliedStep, startTs: number): Promise<void> {
    const [image] = await this.#inner.readRows([row], [{ family: 'write' }])
    const isApplied = image?.cells.some(({ value }) => isRecordOf(value, startTs))
    if (isApplied) this.#counters.count('commit repeated and already applied')
  }
}

function isRecordOf(value: Uint8Array, startTs: number): boolean {
  return decodeWriteRecord(value).startTs === startTs
}
