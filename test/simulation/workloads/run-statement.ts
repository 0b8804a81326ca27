// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../../parser/ast.ts'
import { createParser } from '../../../parser/parser.ts'
import { executeData } from '../../../planner/execute/execute-data.ts'
import type { DataPlan } from '../../../planner/plan/plan.ts'
import {
  type PlannedStatement,
  planStatement,
  type StatementResult,
  WorkMeter,
} from '../../../planner/planner.ts'
import { ruleParser } from '../../../server/guard/access/rule-parser.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import type { RecordingWrites } from './recording-writes.ts'

const PARSER = createParser()
const PARSE_RULE = ruleParser(PARSER)

/** The one statement of the text. */
export function parsed(sql: string): Statement {
  return PARSER.parseScript(sql)[0] as Statement
}

/** Plans and runs one statement on rows, by its text or parsed, as the server does. Throws PlanError. */
export async function execute(
  writes: RecordingWrites,
  catalog: Catalog,
  statement: PlannedStatement | string,
): Promise<StatementResult> {
  const planned = typeof statement === 'string' ? parsed(statement) : statement
  const plan = planStatement(planned as PlannedStatement, catalog, PARSE_RULE) as DataPlan
  return await executeData(plan, contextOf(writes, catalog))
}

const NO_TURNS = { pause: async () => {}, rejoin: async () => {} }

/** Without a turn for others: what the process waits for is simulated. */
function contextOf(writes: RecordingWrites, catalog: Catalog) {
  const { now, nextNumbers } = writes
  const functions = { now: BigInt(now), uuid: () => '', nextNumbers }
  const work = new WorkMeter()
  return { transaction: writes, catalog, parameters: [], functions, work, turns: NO_TURNS }
}
