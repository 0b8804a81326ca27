// SPDX-License-Identifier: Apache-2.0
import { type PlantedBug, plantedIn } from './planted-bug.ts'

const bug = plantedIn('server/requests/checks')
const definitionBug = plantedIn('server/guard/access/told-definitions.test.ts')
const numberBug = plantedIn('server/requests/identity', 'storage/tables/identity')

/** One for each way by which a row could be kept that fails a CHECK of its table, and what adding one could tell. */
export const CHECK_BUGS: readonly PlantedBug[] = [
  definitionBug(
    'definitionsLookAtHiddenRows',
    'planner/definitions/definition.ts',
    'if (readsAllRows(catalog, table)) return',
    'return',
  ),
  definitionBug(
    'definitionsTellOfHiddenRows',
    'planner/required-rights.ts',
    "return readsAllRows(catalog, table) || catalog.rights.may('inspect')",
    'return catalog !== undefined',
  ),
  bug(
    'checksShareTheConstantsOfStatements',
    'planner/plan/row-check.ts',
    'createRuleCompiler(compiler, table)',
    'createRuleCompiler({ slots: Reflect.construct(compiler.slots.constructor, []) } as never, table)',
  ),
  bug(
    'setsAreNotChecked',
    'planner/execute/writes/execute-set.ts',
    'checkedRow(plan, { ...scope, row }, { isNew })',
    '(void isNew, void checkedRow, row as never)',
  ),
  bug(
    'rangeSetsAreNotChecked',
    'planner/execute/writes/execute-set-rows.ts',
    'return checkedRow(plan, { ...before, row }, { isNew: false })',
    'return (void checkedRow, row as never)',
  ),
  bug(
    'insertsAreNotChecked',
    'planner/execute/writes/inserted-rows.ts',
    'checkedRow({ table, checks, position }, ofRow, { isNew: true, number })',
    '(void checkedRow, void ofRow, values as never)',
  ),
  bug(
    'upsertsAreNotChecked',
    'planner/execute/writes/execute-insert.ts',
    'checkedRow({ table, position, checks }, ofRow, { isNew: false, number })',
    '(void checkedRow, void checks, void ofRow, after as never)',
  ),
  bug(
    'oldChecksOfNewRows',
    'planner/execute/writes/checked-row.ts',
    '!isNew && !check.isConcerned',
    '!check.isConcerned',
  ),
  bug(
    'addedChecksFenceNobody',
    'storage/tables/catalog/check-changes.ts',
    "withCheck(before, check, 'adding'))",
    "withCheck(before, check, 'adding'), { isFenced: false })",
  ),
  bug(
    'addedChecksTrustOldRows',
    'server/requests/statements/added-check.ts',
    'if (rows[0] !== undefined) throw',
    'if (rows[1] !== undefined) throw',
  ),
  bug(
    'failedChecksStay',
    'server/requests/statements/added-check.ts',
    '      await this.#takeBack(statement)\n',
    '',
  ),
  bug(
    'scriptsNoteBegunChecks',
    'server/requests/statements/definition-runner.ts',
    'this.#defineAtOnce(entries, running, at)\n',
    'this.#defineAtOnce(entries, running, at, beside)\n',
  ),
  bug(
    'notNullOfNewRowsOnly',
    'storage/tables/catalog/check-changes.ts',
    'const after = isNotNull ? withNotNull(before, name) : withReady(before, name)',
    'const after = withReady(before, name)',
  ),
  bug(
    'notNullBeforeTheLook',
    'server/requests/statements/definition-runner.ts',
    "statement.kind !== 'addCheck' && statement.kind !== 'setNotNull'",
    "statement.kind !== 'addCheck'",
  ),
  numberBug(
    'numbersBeforeTheCommit',
    'storage/tables/identity/identity-blocks.ts',
    '  await transaction.commit()',
    '  transaction.commit().catch(() => {})',
  ),
  numberBug(
    'numbersOfThoseBefore',
    'storage/tables/identity/identity-blocks.ts',
    'if (counter?.series !== series) return undefined',
    'if (counter === undefined) return undefined',
  ),
  numberBug(
    'alwaysIsByDefault',
    'planner/plan/writes/written-columns.ts',
    'if (found?.identity.isAlways !== true) return\n',
    'return\n',
  ),
  numberBug(
    'restartsFenceNobody',
    'storage/tables/catalog/identity-changes.ts',
    'await changeTable(transaction, { ...table, columns })',
    'await changeTable(transaction, { ...table, columns }, { isFenced: false })',
  ),
  bug(
    'renamesForgetRules',
    'storage/tables/catalog/column-changes.ts',
    '  requireNoRuleOn(before, column)\n',
    '',
  ),
]
