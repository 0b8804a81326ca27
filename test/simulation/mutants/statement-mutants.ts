// SPDX-License-Identifier: Apache-2.0
import { type Mutant, mutant } from './mutant.ts'

const MAINTENANCE = 'storage/tables/rows/index-maintenance.ts'
const TAKEN = 'storage/tables/rows/taken-entries.ts'
const SET_ROWS = 'planner/execute/writes/execute-set-rows.ts'
const UPSERT = 'planner/execute/writes/execute-insert.ts'
const CHECKS = 'planner/plan/row-check.ts'
const ADDED = 'storage/tables/catalog/check-changes.ts'
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
  mutant({
    name: 'checksOfAssignedColumns',
    what: 'a SET looks only at the checks all of whose columns it assigns',
    file: CHECKS,
    find: 'assigned.some((column) => columns.has(column))',
    replace: '[...columns].every((column) => assigned.includes(column))',
    caughtBy: CAUGHT,
  }),
  mutant({
    name: 'nullFailsChecks',
    what: 'a CHECK that is NULL of a row refuses it',
    file: CHECKS,
    find: 'evaluate(scope) !== false',
    replace: 'evaluate(scope) === true',
    caughtBy: CAUGHT,
  }),
  mutant({
    name: 'upsertsSkipChecks',
    what: 'the row that an upsert changes is not checked, only that which it would have inserted',
    file: UPSERT,
    find: 'checkedRow({ table, position, checks }, ofRow, { isNew: false, number })',
    replace: '(void checkedRow, void checks, void ofRow, after as never)',
    caughtBy: CAUGHT,
  }),
  mutant({
    name: 'rangeSetsSkipChecks',
    what: 'the rows that a SET finds along a key are not checked',
    file: SET_ROWS,
    find: 'return checkedRow(plan, { ...before, row }, { isNew: false })',
    replace: 'return (void checkedRow, row as never)',
    caughtBy: CAUGHT,
  }),
  mutant({
    name: 'addedChecksBeginAtTheirEnd',
    what: 'rows that are written while a CHECK is added do not have to meet it',
    file: CHECKS,
    find: 'table.checks.map(',
    replace: "table.checks.filter(({ state }) => state === 'ready').map(",
    caughtBy: CAUGHT,
  }),
  mutant({
    name: 'addedChecksFenceNobody',
    what: 'who began before a CHECK was added commits rows that it has not seen',
    file: ADDED,
    find: "withCheck(before, check, 'adding'))",
    replace: "withCheck(before, check, 'adding'), { isFenced: false })",
    caughtBy: { ...CAUGHT, seedsMax: 100 },
  }),
  mutant({
    name: 'addedChecksLookAtNoRow',
    what: 'a CHECK is added without looking at the rows that are there',
    file: 'planner/definitions/table-check.ts',
    find: "type: 'integer', value: 1n",
    replace: "type: 'integer', value: 0n",
    caughtBy: CAUGHT,
  }),
]
