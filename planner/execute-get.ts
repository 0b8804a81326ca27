// SPDX-License-Identifier: Apache-2.0
import { getRows, guardRow, type SqlValue } from '../storage/storage.ts'
import { AnswerBytes } from './answer-bytes.ts'
import type { Scope } from './compiled-expression.ts'
import {
  type ExecutionContext,
  type RowCounts,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from './execution-context.ts'
import { keyTuples } from './key-range.ts'
import type { Parameters } from './parameters.ts'
import type { Plan, PointGetPlan } from './plan.ts'
import { PlanError } from './plan-error.ts'
import { PLANNER_LIMITS } from './planner-limits.ts'
import { type AskedRow, rowsByKeys } from './rows-by-keys.ts'

/** A GET with its parameters, one of several that are run together. */
export type PlannedGet = { readonly plan: PointGetPlan; readonly parameters: Parameters }

/**
 * Rows in the order asked, absent ones left out. FOR UPDATE guards every key asked for, also those
 * without a row: that there is none may be what matters. A few keys can name rows of any size, so the
 * answer is measured as it grows, and the reading ends where it would become too large.
 */
export async function executeGet(
  plan: PointGetPlan,
  context: ExecutionContext,
  counts: RowCounts,
): Promise<StatementResult> {
  const results: StatementResult[] = []
  const asked = [askFor({ plan, parameters: context.parameters }, context)]
  await answerAll(asked, context, (result) => results.push(result))
  const [result] = results as [StatementResult]
  counts.read += result.rows.length
  return result
}

/** Whether two GETs may share their multi-gets: they read one table, and neither of them writes. */
export function readsTogether(plan: PointGetPlan, other: Plan): other is PointGetPlan {
  if (other.kind !== 'pointGet' || plan.forUpdate || other.forUpdate) return false
  return plan.table.id === other.table.id
}

/**
 * Runs GETs that follow each other as one statement: their keys are asked for together, so that a
 * hundred of them cost two or three round trips to the store. `answered` is told each result in its
 * turn. It ends before a GET whose parameters do not fit, unless that is the first one, so that
 * whatever is thrown is the fault of the one that has not been answered.
 */
export async function executeGets(
  gets: readonly PlannedGet[],
  context: ExecutionContext,
  answered: (result: StatementResult) => void,
): Promise<void> {
  const asked: AskedGet[] = []
  for (const get of gets) {
    try {
      asked.push(askFor(get, context))
    } catch (error) {
      if (asked.length === 0) throw error
      break
    }
  }
  const { transaction, signal } = context
  await transaction.statement(() => answerAll(asked, context, answered), signal)
}

/** A GET whose parameters are bound, and the keys that it asks for. */
type AskedGet = {
  readonly plan: PointGetPlan
  readonly scope: Scope
  readonly tuples: ReadonlyArray<readonly SqlValue[]>
}

function askFor({ plan, parameters }: PlannedGet, context: ExecutionContext): AskedGet {
  const scope = scopeOf(plan.slots, { ...context, parameters })
  return { plan, scope, tuples: keyTuples(plan.keys, scope, 'asked') }
}

async function answerAll(
  asked: readonly AskedGet[],
  context: ExecutionContext,
  answered: (result: StatementResult) => void,
): Promise<void> {
  const { transaction } = context
  const { table } = (asked[0] as AskedGet).plan
  const turns = new TurnTaking(context)
  const bytes = { used: context.answerBytes?.used ?? 0 }
  const answers = asked.map((get) => new GetAnswer(get, context, bytes))
  let open = 0
  const closeWhole = () => {
    for (; answers[open]?.isWhole === true; open += 1) {
      answered((answers[open] as GetAnswer).result())
    }
  }
  const add = (row: AskedRow) => {
    ;(answers[open] as GetAnswer).add(row)
    closeWhole()
  }
  closeWhole()
  const tuples = asked.flatMap((get) => get.tuples)
  if (tuples.length <= PLANNER_LIMITS.multiGetKeysFirst) {
    const rows = await getRows(transaction, table, tuples)
    for (const [index, key] of tuples.entries()) add({ key, stored: rows[index] ?? null })
    return
  }
  for await (const batch of rowsByKeys(transaction, table, tuples)) {
    for (const row of batch) {
      add(row)
      if (turns.isDue()) await turns.pause()
    }
  }
}

/** The answer of one GET, row by row as its keys are read. */
class GetAnswer {
  readonly #asked: AskedGet
  readonly #context: ExecutionContext
  readonly #answerBytes: AnswerBytes
  /** Shared by the GETs that are run together. */
  readonly #bytes: { used: number }
  readonly #rows: SqlValue[][] = []
  #keysRead = 0

  constructor(asked: AskedGet, context: ExecutionContext, bytes: { used: number }) {
    this.#asked = asked
    this.#context = context
    this.#bytes = bytes
    this.#answerBytes = new AnswerBytes(asked.plan.projection.columns)
  }

  get isWhole(): boolean {
    return this.#keysRead === this.#asked.tuples.length
  }

  add({ key, stored }: AskedRow): void {
    const { plan, scope } = this.#asked
    this.#keysRead += 1
    if (plan.forUpdate) guardRow(this.#context.transaction, plan.table, key)
    if (stored === null) return
    const row = plan.projection.project({ ...scope, row: stored.row })
    this.#rows.push(row)
    this.#bytes.used += this.#answerBytes.of(row)
    requireSpace(plan, this.#context, this.#bytes.used)
  }

  result(): StatementResult {
    return { columns: this.#asked.plan.projection.columns, rows: this.#rows, rowsAffected: 0 }
  }
}

function requireSpace(
  { position }: PointGetPlan,
  { answerBytes }: ExecutionContext,
  actual: number,
): void {
  if (answerBytes === undefined || actual <= answerBytes.max) return
  const { max } = answerBytes
  throw new PlanError('limit_exceeded', `The answer would have more than ${max} bytes.`, {
    position,
    hint: 'Ask for fewer keys in one request, or for fewer columns.',
    fields: { limit: 'answerBytesMax', limitValue: max, actual },
  })
}
