// SPDX-License-Identifier: Apache-2.0

import { STORAGE_LIMITS } from '../../storage/storage.ts'
import { indexSpace } from '../../storage/tables/tables.ts'
import { type Explanation, explanationOf, type Measured } from '../plan/explain.ts'
import { explanationText } from '../plan/explanation-text.ts'
import type { ExplainedPlan, ExplainPlan } from '../plan/plan.ts'
import { executeData } from './execute-data.ts'
import type {
  ExecutionContext,
  StatementResult,
  StatementTransaction,
} from './rows/execution-context.ts'
import { shownTable } from './shown-table.ts'

/** Rows that ANALYZE holds at once. */
const ANALYZED_PAGE = { rows: 1_000, bytes: 4 * 1024 * 1024 } as const

/** One row: the plan as text for people and as JSON for programs. */
export async function executeExplain(
  plan: ExplainPlan,
  context: ExecutionContext,
): Promise<StatementResult> {
  const planned = explanationOf(plan.plan)
  const run = plan.analyze ? await runForFigures(plan, context) : undefined
  const explanation: Explanation =
    run === undefined ? planned : { ...planned, measured: run.measured }
  const text = explanationText(explanation)
  const explained = run?.answered ?? { columns: answeredColumns(plan.plan) }
  const shown = shownTable('text TEXT, plan JSON', [[text, JSON.stringify(explanation)]])
  return { ...shown, text, explained }
}

function answeredColumns(plan: ExplainedPlan): StatementResult['columns'] {
  if ('projection' in plan) return plan.projection.columns
  return ('returning' in plan && plan.returning?.columns) || []
}

type Run = {
  readonly measured: Measured
  /** What INTO takes its values from; absent without INTO. */
  readonly answered?: Pick<StatementResult, 'columns' | 'rows'>
}

/** Carries what is known of a run out of a statement whose layer is to be dropped. */
class Dropped extends Error {
  override readonly name = 'Dropped'
  readonly run: Run

  constructor(run: Run) {
    super('The statement ran for EXPLAIN ANALYZE and its writes are dropped.')
    this.run = run
  }
}

/**
 * Runs the statement in a layer of its own and drops it: what it wrote never happened. Of a script, the layer is left
 * for the statements after it, and all of them are dropped with their transaction.
 */
async function runForFigures(plan: ExplainPlan, context: ExecutionContext): Promise<Run> {
  const { transaction } = context
  if (plan.keepsWrites)
    return await transaction.statement(() => runMeasured(plan, context), context)
  const run = async (): Promise<never> => {
    throw new Dropped(await runMeasured(plan, context))
  }
  try {
    return await transaction.statement(run, context)
  } catch (error) {
    if (error instanceof Dropped) return error.run
    throw error
  }
}

function lookupsOf(plan: ExplainedPlan): readonly unknown[] {
  return ('lookups' in plan && plan.lookups) || []
}

async function runMeasured(
  { plan, hidesRows, readsInto }: ExplainPlan,
  // The rows will not be read.
  { newRowWriter: _, ...context }: ExecutionContext,
): Promise<Run> {
  const { monotonicMs } = context
  const startedMs = monotonicMs?.()
  const transaction = new CountingTransaction(context.transaction)
  const lookupFigures = lookupsOf(plan).map(() => ({ keys: 0, rows: 0, roundTrips: 0 }))
  let rowsReturned = 0
  let rowsAffected = 0
  let answered: StatementResult | undefined
  const ofPage = (readsInto && context.page) || ANALYZED_PAGE
  do {
    const after = answered?.resumeAfter
    const page = after === undefined ? ofPage : { ...ofPage, after }
    answered = await executeData(plan, { ...context, transaction, lookupFigures, page })
    rowsReturned += answered.rows.length
    rowsAffected += answered.rowsAffected
  } while (answered.resumeAfter !== undefined && !readsInto)
  const { rows, entries, cells, roundTrips } = transaction.figures
  const read = { rowsRead: rows, entriesRead: entries, cellsRead: cells, roundTrips }
  const ofLookups = lookupFigures.length === 0 ? {} : { lookups: lookupFigures }
  const figures = { ...(hidesRows ? {} : { ...read, ...ofLookups }), rowsReturned, rowsAffected }
  const own = readsInto ? { answered } : {}
  if (monotonicMs === undefined || startedMs === undefined) return { measured: figures, ...own }
  const milliseconds = Math.round((monotonicMs() - startedMs) * 1_000) / 1_000
  return { measured: { ...figures, milliseconds }, ...own }
}

/** What a statement read, for EXPLAIN ANALYZE. */
type ReadFigures = {
  /** Rows of tables that were there. */
  rows: number
  /** Entries of indexes that were there. */
  entries: number
  /** Values of families and of entries. */
  cells: number
  /** Multi-gets, and pages of ranges. */
  roundTrips: number
}

const [INDEX_SPACE] = indexSpace(0)

/** A transaction that counts what is read through it. */
class CountingTransaction implements StatementTransaction {
  readonly figures: ReadFigures = { rows: 0, entries: 0, cells: 0, roundTrips: 0 }
  readonly #transaction: StatementTransaction

  constructor(transaction: StatementTransaction) {
    this.#transaction = transaction
  }

  get locksRows(): boolean {
    return this.#transaction.locksRows
  }

  getRow: StatementTransaction['getRow'] = async (key, columns) => {
    const [row] = await this.getRows([key], columns)
    return row ?? null
  }

  getRows: StatementTransaction['getRows'] = async (keys, columns) => {
    const rows = await this.#transaction.getRows(keys, columns)
    this.figures.roundTrips += 1
    for (const row of rows) if (row !== null) this.#count(row.key, row.columns.size)
    return rows
  }

  /** One by one, so that rows after the end of the walk do not count. */
  async *scanBatches(range: Parameters<StatementTransaction['scanBatches']>[0]) {
    let rows = 0
    for await (const batch of this.#transaction.scanBatches(range)) {
      for (const row of batch) {
        if (rows % STORAGE_LIMITS.scanPageRows === 0) this.figures.roundTrips += 1
        rows += 1
        this.#count(row.key, row.columns.size)
        yield [row]
      }
    }
    // Also finding nothing takes a look.
    if (rows === 0) this.figures.roundTrips += 1
  }

  requireRoom: StatementTransaction['requireRoom'] = () => this.#transaction.requireRoom()
  put: StatementTransaction['put'] = (...write) => this.#transaction.put(...write)
  delete: StatementTransaction['delete'] = (...write) => this.#transaction.delete(...write)
  guard: StatementTransaction['guard'] = (...write) => this.#transaction.guard(...write)
  notify: StatementTransaction['notify'] = (...of) => this.#transaction.notify(...of)
  dependOnSchema: StatementTransaction['dependOnSchema'] = (id) =>
    this.#transaction.dependOnSchema(id)
  statementWrite: StatementTransaction['statementWrite'] = (...at) =>
    this.#transaction.statementWrite(...at)

  statement: StatementTransaction['statement'] = (...of) => this.#transaction.statement(...of)

  #count(key: Uint8Array, cells: number): void {
    if (key[0] === INDEX_SPACE) this.figures.entries += 1
    else this.figures.rows += 1
    this.figures.cells += cells
  }
}
