// SPDX-License-Identifier: Apache-2.0
import { CHIEF_TEST, type PlantedBug, plantedIn } from './planted-bug.ts'

const TABLES = 'planner/plan/lookups/statement-tables.ts'

const bug = plantedIn('server/guard/access')
const chiefBug = plantedIn(CHIEF_TEST)

/** One for each thing that LOOKUP has to do for access control. */
export const LOOKUP_BUGS: readonly PlantedBug[] = [
  chiefBug(
    'lookupsNeedNoRight',
    TABLES,
    "requireTableFor(catalog, source.table, 'read')",
    'requireTableFor(catalog, source.table)',
  ),
  bug('lookupsHaveNoRule', TABLES, "ruleConjuncts(catalog, of, ['read'], parseRule)", '[]'),
  bug(
    'lookupsShowHiddenRows',
    'planner/execute/lookups/rows-of-keys.ts',
    'if (meetsRule(lookup, row, scope)) found',
    'if (row !== null) found',
  ),
  chiefBug(
    'lookupsCountHiddenRows',
    'planner/planner.ts',
    'lookedUp.some(({ rowRule }) => rowRule !== undefined) ||',
    '',
  ),
  bug(
    'rulesSeeOtherTables',
    'planner/plan/plan-access.ts',
    'const ruler = createRuleCompiler(compiler, table)',
    'const ruler = compiler',
  ),
]
