// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http'
import type { SetStatement } from '../../../parser/ast.ts'
import { type Plan, type PointWrite, pointWriteOf, rowOfPoint } from '../../../planner/planner.ts'
import type { Clock, Storage, Timestamp } from '../../../storage/storage.ts'
import { type Catalog, changeRows, type SqlRow } from '../../../storage/tables/tables.ts'
import type { Access } from '../../guard/access/access.ts'
import type { ShapeFigures } from '../../operations/statistics/shape-figures.ts'
import type {
  CountedStatement,
  StatementStatistics,
} from '../../operations/statistics/statement-statistics.ts'
import { FORMAT_TYPES } from '../../requests/answers/answer-format.ts'
import type { RunningRequest } from '../../requests/prepared/running-request.ts'
import type { RunningRequests } from '../../requests/prepared/running-requests.ts'
import type { PlanCache } from '../../requests/statements/plan-cache.ts'
import type { Attempt, Attempts } from '../../requests/transactions/attempt.ts'
import type { ReadyAnswer } from '../http/answers/outbox.ts'
import {
  COMMIT_TIMESTAMP_HEADER,
  READ_TIMESTAMP_HEADER,
} from '../http/answers/transaction-answers.ts'
import { type KnownQuery, valuesOfKnown } from './known-query.ts'
import type { SeenHead } from './seen-heads.ts'

type WritesDependencies = {
  readonly storage: Pick<Storage, 'knownCatalog'>
  readonly plans: PlanCache
  readonly access: Pick<Access, 'viewOf'>
  readonly requests: RunningRequests
  readonly attempts: Attempts
  readonly statistics: StatementStatistics | undefined
  readonly clock: Pick<Clock, 'monotonicMs'>
}

/** What is decided of a plan that writes one whole row, and for which statistics it is counted. */
type PlannedWrite = PointWrite &
  Pick<CountedStatement, 'plan' | 'entry'> & { figures: ShapeFigures | undefined }

/** A row that is to be written, by the catalog that its client sees. */
export type StraightWrite = {
  readonly planned: PlannedWrite
  readonly row: SqlRow
  readonly catalog: Catalog
  readonly sql: string
}

type Written = {
  readonly startTs: Timestamp
  readonly commitTs: Timestamp | null
  readonly attempts: number
}

const NOW = { readOnly: false }

/** Writes of one whole row by its primary key: each is a transaction of its own, by the one attempt. */
export class StraightWrites {
  readonly #deps: WritesDependencies
  readonly #byPlan = new WeakMap<Plan, PlannedWrite | null>()

  constructor(deps: WritesDependencies) {
    this.#deps = deps
  }

  /** What a SET writes; undefined where it is no such write, or has to wait for its turn. */
  of(statement: SetStatement, query: KnownQuery, { caller }: SeenHead): StraightWrite | undefined {
    const { access, storage, requests, plans } = this.#deps
    const { knownCatalog } = storage
    if (knownCatalog === undefined || !requests.turnQueue.isFreeFor(true)) return undefined
    const { principal } = caller
    const catalog = access.viewOf(principal, knownCatalog)
    const plan = plans.plan(statement, catalog)
    let planned = this.#byPlan.get(plan)
    if (planned === undefined) {
      planned = plannedWrite(statement, plan)
      this.#byPlan.set(plan, planned)
    }
    const values = planned === null ? undefined : valuesOfKnown(planned.values, query)
    if (planned === null || values === undefined) return undefined
    const row = rowOfPoint(planned, values)
    return row && { planned, row, catalog, sql: query.sql }
  }

  /**
   * The answer; undefined where other definitions have met it meanwhile, and nothing has been written. Rejects with
   * whatever a request can fail by that runs.
   */
  async run(
    write: StraightWrite,
    { caller }: SeenHead,
    response: ServerResponse,
  ): Promise<ReadyAnswer | undefined> {
    const about = { operation: 'query', statements: () => [write.sql] }
    const running = this.#deps.requests.arrivedBy(caller, response, about)
    try {
      running.arm()
      const written = await this.#deps.attempts.run<Written | undefined>({
        snapshot: NOW,
        running,
        work: (attempt) => this.#written(write, attempt, running),
        commitTsOf: (done) => done?.commitTs,
      })
      return written && answered(written)
    } finally {
      running.end()
    }
  }

  #written(
    { planned, row, catalog: expected }: StraightWrite,
    { transaction, catalog, attempts }: Attempt,
    running: RunningRequest,
  ): Promise<Written> | undefined {
    if (catalog !== expected) return undefined
    const { statistics, clock } = this.#deps
    const beganMs = statistics === undefined ? 0 : clock.monotonicMs()
    try {
      changeRows(transaction, planned.table, [{ before: null, after: row }])
    } catch {
      return undefined
    }
    if (statistics !== undefined) {
      const { plan, entry } = planned
      planned.figures = statistics.figuresOf({ plan, entry, running, catalog }, planned.figures)
      planned.figures.ran(clock.monotonicMs() - beganMs, 0, 1)
    }
    const { startTs } = transaction
    return running.commit(transaction).then(({ commitTs }) => ({ startTs, commitTs, attempts }))
  }
}

function plannedWrite(statement: SetStatement, plan: Plan): PlannedWrite | null {
  const write = pointWriteOf(plan)
  return write === undefined
    ? null
    : { ...write, plan, entry: { statement, parameters: [], index: 0 }, figures: undefined }
}

function answered({ startTs, commitTs, attempts }: Written): ReadyAnswer {
  const stamps = `"readTimestamp":${startTs},"commitTimestamp":${commitTs},"attempts":${attempts}`
  return {
    status: 200,
    headers: [
      ...['Content-Type', FORMAT_TYPES.json, READ_TIMESTAMP_HEADER, String(startTs)],
      ...[COMMIT_TIMESTAMP_HEADER, String(commitTs)],
    ],
    body: `{"results":[{"columns":[],"rows":[],"rowsAffected":1}],${stamps}}\n`,
  }
}
