// SPDX-License-Identifier: Apache-2.0
import { type Mutant, mutant } from '../simulation/mutants/mutant.ts'

const NUMBERS = 'storage/cells/sqlite/groups/group-numbers.ts'
const APPLIER = 'storage/cells/sqlite/groups/group-applier.ts'
const PRIMARY = 'storage/operations/replication/primary.ts'
const STANDBY = 'storage/operations/replication/standby.ts'
const ORACLE = 'storage/transactions/oracle/standby-oracle.ts'

const LOG = 'storage/cells/sqlite/replication/group-log.ts'
const THREADS = 'storage/cells/sqlite/threads/threads.ts'
const EPOCHS = 'storage/transactions/history/epochs.ts'

const caughtBy = { script: 'standbyShowsItsPrimary' } as const

/** Of replication: numbers, files of groups, what a standby shows, and the second copy. */
export const STANDBY_MUTANTS: readonly Mutant[] = [
  mutant({
    name: 'groupWithoutItsNumber',
    what: 'a standby applies groups in a transaction that does not have their numbers',
    file: APPLIER,
    find: '        this.#numbers.follow(position, last)\n',
    replace: '',
    caughtBy,
  }),
  mutant({
    name: 'anyNumberFollows',
    what: 'a standby applies groups that are not the next ones',
    file: NUMBERS,
    find: 'if (last !== undefined && number !== last.number + 1) {',
    replace: 'if (last !== undefined && number === -1) {',
    caughtBy,
  }),
  mutant({
    name: 'visibleBeyondTheFrame',
    what: 'a standby is told the newest timestamp of its primary for groups that are older',
    file: PRIMARY,
    find: 'this.#marks.findLast(({ number }) => number <= position.number)',
    replace: 'this.#marks.at(-1)',
    caughtBy,
  }),
  mutant({
    name: 'unsettledIsVisible',
    what: 'commits that are not settled count as whole',
    file: PRIMARY,
    find: 'visible: Math.min(timestamp, resolved())',
    replace: 'visible: Math.max(timestamp, resolved())',
    caughtBy,
  }),
  mutant({
    name: 'catalogFenceStays',
    what: 'a standby goes on with a catalog that has been changed',
    file: ORACLE,
    find: 'if (this.#catalogFence < this.#catalogChangedUpTo) this.#catalogFence = this.#visible',
    replace: 'if (changed.catalogUpTo === -1) this.#catalogFence = this.#visible',
    caughtBy,
  }),
  mutant({
    name: 'safePointNotPassed',
    what: 'a standby answers reads below the safe point whose versions were deleted',
    file: STANDBY,
    find: '    oracle.passSafePoint(safePoint)\n',
    replace: '',
    caughtBy,
  }),
  mutant({
    name: 'copiedWhenSent',
    what: 'a group counts as copied when it is sent to the standby',
    file: PRIMARY,
    find: '    const mark = this.#marks.findLast(',
    replace: '    replication.heard(position)\n    const mark = this.#marks.findLast(',
    caughtBy,
  }),
  mutant({
    name: 'standbyNotWaitedFor',
    what: 'a commit is answered when one disk has it, though a second copy is required',
    file: THREADS,
    find: '    if (copied !== undefined) await copied\n',
    replace: '    void copied\n',
    caughtBy,
  }),
  mutant({
    name: 'streamGoesOn',
    what: 'a store that is promoted goes on with the numbers of the one before, under the same name',
    file: LOG,
    find: 'this.#sent ??= { stream: this.#newStream(), number',
    replace: 'this.#sent ??= { stream: this.#durable.stream, number',
    caughtBy,
  }),
  mutant({
    name: 'positionsOfOthers',
    what: 'a former primary with groups that were lost counts as one that has everything',
    file: LOG,
    find: 'if (known === undefined || number > known.last || number < known.first - 1) return false',
    replace: 'if (known === undefined || number < known.first - 1) return false',
    caughtBy,
  }),
  mutant({
    name: 'memoryOfTheStandby',
    what: 'a standby goes on to read from memory what a frame has changed',
    file: STANDBY,
    find: '    latches.writtenElsewhere(rows, newest)\n',
    replace: '',
    caughtBy,
  }),
  mutant({
    name: 'shownAtOnce',
    what: 'a standby shows all that its primary has given timestamps for',
    file: STANDBY,
    find: 'oracle.show(visible ?? 0, {',
    replace: 'oracle.show(newest, {',
    caughtBy,
  }),
  mutant({
    name: 'epochBelowTheMark',
    what: 'the epoch of a promoted store begins at its safe point',
    file: EPOCHS,
    find: 'renewed({ mark, safePoint, random })',
    replace: 'renewed({ mark: safePoint, safePoint, random })',
    caughtBy,
  }),
]
