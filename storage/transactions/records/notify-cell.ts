// SPDX-License-Identifier: Apache-2.0
import type { Cell, Timestamp } from '../../cells/cell.ts'
import type { RowStep } from '../../cells/cell-store.ts'
import { type StepList, stepsOf, unconditionalStep } from '../../cells/embedded-cell-store.ts'
import type { DeleteFromColumn, SetCell } from '../../cells/mutation.ts'
import { intact } from '../../invariant.ts'
import { decodeStartTs, encodeStartTs } from './write-record.ts'

/**
 * A notify cell says that an observer may have something to do in a row (Percolator 2.4): family `notify`, the
 * observer's id as the qualifier. It is never read for a value and never causes a conflict; the write records and the
 * acknowledgment say whether there is something to do.
 *
 *     user "bob"   notify "7" @21                 who began at 21 writes what observer 7 watches;
 *                  write  "0" @25 -> 21           it has committed at 25
 *                  write  "ack/7" @31 -> 28 "28"  the run that began at 28 has seen all that is before 28
 *
 * It is written by the same mutation as the write or its lock, at the writer's startTs, so no crash can separate the
 * two. A weak one is at the notifier's commitTs instead, and may be in a row that the notifier does not write. One
 * whose value is a timestamp is about an older transaction: the writer of a row that existed before its observer.
 */
export type NotifyCell = {
  readonly observerId: number
  readonly timestamp: Timestamp
  /** The start of the transaction whose change it is about; for a weak one, its own timestamp. */
  readonly changedBy: Timestamp
}

/** A notify cell that is set in a row without a write of the same row. */
export type Hint = {
  readonly row: Uint8Array
  readonly observerId: number
  /** The start of the older transaction that it is about; absent for a weak one about its own. */
  readonly changedBy?: Timestamp
}

export function setNotify(
  observerId: number,
  timestamp: Timestamp,
  changedBy: Timestamp = timestamp,
): SetCell {
  return {
    kind: 'setCell',
    family: 'notify',
    qualifier: notifyQualifier(observerId),
    timestamp,
    value: changedBy === timestamp ? NOTHING : encodeStartTs(changedBy),
  }
}

/** The mutation that erases the notify cells of one observer with timestamps in [from, until). */
export function eraseNotify(observerId: number, until: Timestamp, from = 0): DeleteFromColumn {
  return {
    kind: 'deleteFromColumn',
    family: 'notify',
    qualifier: notifyQualifier(observerId),
    timestamps: { from, until },
  }
}

/** Throws on violations of O2. */
export function decodeNotify({ qualifier, timestamp, value }: Cell): NotifyCell {
  intact(QUALIFIER.test(qualifier), 'O2', { damaged: 'observer', qualifier })
  intact(value.length === 0 || value.length === 8, 'O2', { damaged: 'value', qualifier })
  const changedBy = value.length === 0 ? timestamp : decodeStartTs(value)
  return { observerId: Number(qualifier), timestamp, changedBy }
}

export function notifyQualifier(observerId: number): string {
  return String(observerId)
}

/** The steps that set those hints whose timestamp is known before the commit's, at `startTs`. */
export function hintsAtStart(hints: readonly Hint[], startTs: Timestamp): RowStep[] {
  return hints.flatMap(({ row, observerId, changedBy }) =>
    changedBy === undefined
      ? []
      : [unconditionalStep(row, [setNotify(observerId, startTs, changedBy)])],
  )
}

/**
 * The steps that set the weak hints, at `commitTs`: at its start, a run that began between the two and saw
 * nothing of this transaction would clear them.
 */
export function hintsAtCommit(hints: readonly Hint[], commitTs: Timestamp): RowStep[] {
  return hints.flatMap(({ row, observerId, changedBy }) =>
    changedBy === undefined ? [unconditionalStep(row, [setNotify(observerId, commitTs)])] : [],
  )
}

/** All of these steps, where start and commit are one step; made as they are iterated. */
export function hintSteps(
  { hints, startTs }: { readonly hints: readonly Hint[]; readonly startTs: Timestamp },
  commitTs: Timestamp,
): StepList {
  return stepsOf(hints, ({ row, observerId, changedBy }) => {
    const timestamp = changedBy === undefined ? commitTs : startTs
    return unconditionalStep(row, [setNotify(observerId, timestamp, changedBy)])
  })
}

const NOTHING = new Uint8Array()
const QUALIFIER = /^[1-9][0-9]{0,9}$/
