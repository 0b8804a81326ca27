// SPDX-License-Identifier: Apache-2.0
import { type Mutant, mutant } from './mutant.ts'

const MAINTENANCE = 'storage/tables/rows/index-maintenance.ts'
const TAKEN = 'storage/tables/rows/taken-entries.ts'
const SET_ROWS = 'planner/execute/writes/execute-set-rows.ts'
const UPSERT = 'planner/execute/writes/execute-upsert.ts'
const MET = 'planner/execute/writes/conflicting-rows.ts'

const EMBEDDED = { workload: 'statements', topology: 'embedded' } as const
const CAUGHT = { seedsMax: 20, ...EMBEDDED }

/** Statements that change many rows. */
export const STATEMENT_MUTANTS: readonly Mutant[] = [
  mutant({
    name: 'takenEntryGoes',
    what: 'an entry that another row of the statement has taken goes with the row that gave it up',
    file: MAINTENANCE,
    find: 'taken.giveUp(deleted)\n',
    replace: 'taken.giveUp(deleted) && false\n',
    caughtBy: CAUGHT,
  }),
  mutant({
    name: 'takenEntryNotMissed',
    what: 'nobody looks at the end of the statement which entries were taken and not given up',
    file: SET_ROWS,
    find: 'requireGivenUp(table, taken, (row) => ({ row, position }))',
    replace: '',
    caughtBy: CAUGHT,
  }),
  mutant({
    name: 'takenEntryOfAnyRow',
    what: 'an entry counts as given up, whichever row gave up its values',
    file: TAKEN,
    find: 'taken !== undefined && belongsTo(deleted, taken.owner) && ',
    replace: 'this.#taken.clear(), ',
    caughtBy: CAUGHT,
  }),
  mutant({
    name: 'comparedRowByRow',
    what: 'unique values are compared as soon as a row is changed',
    file: MAINTENANCE,
    find: 'if (later === undefined) return conflict',
    replace: 'return conflict',
    caughtBy: CAUGHT,
  }),
  mutant({
    name: 'changedAsNew',
    what: 'the rows of a SET are written as if they were new, beside their entries of before',
    file: SET_ROWS,
    find: 'changes.push({ before, after: row, columns })',
    replace: 'changes.push({ before: null, after: row })',
    caughtBy: CAUGHT,
  }),
  mutant({
    name: 'upsertForgetsTheRow',
    what: 'an upsert computes from the row that would have been inserted',
    file: UPSERT,
    find: 'row: [...found.row, ...row.row]',
    replace: 'row: [...row.row, ...row.row]',
    caughtBy: CAUGHT,
  }),
  mutant({
    name: 'upsertMeetsTheNextRow',
    what: 'the entries of a unique index are taken for those of the rows before',
    file: MET,
    find: 'found[next++] as Key | null',
    replace: 'found.at(-1 - next++) as Key | null',
    caughtBy: CAUGHT,
  }),
]
