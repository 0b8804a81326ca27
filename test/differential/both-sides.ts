// SPDX-License-Identifier: Apache-2.0
import type { Measured } from '../../planner/plan/explain.ts'
import type { PageRequest, Plan, StatementResult, Variables } from '../../planner/planner.ts'
import type { Transaction } from '../../storage/storage.ts'
import type { Catalog } from '../../storage/tables/tables.ts'
import type { SqlSession } from '../sql-session.ts'
import type { NamedParameters } from './random/joined-texts.ts'
import type { ReadStatement } from './random/random-statement.ts'
import type { Chooser, RandomTable } from './random/random-table.ts'
import type { ReferenceDatabase } from './reference-database.ts'

export type Wish = {
  readonly read: ReadStatement
  readonly suggestedIndex: string
  readonly variables: Variables | undefined
}

/** The two databases, and where in the transaction the dialect's stands. */
export type BothSides = {
  readonly choose: Chooser
  readonly table: RandomTable
  readonly session: SqlSession
  readonly reference: ReferenceDatabase
  readonly transaction: Transaction
  readonly catalog: Catalog
  /** Reads that the planner refused, with the CREATE INDEX that it asked for. */
  readonly wishes: Wish[]
  /** What earlier statements have read INTO names. */
  readonly variables?: Variables | undefined
}

type Options = { readonly parameters: NamedParameters; readonly page?: PageRequest }

/** Runs a statement of the dialect. Rejects with what it throws. */
export function runOurs(
  { session, transaction, catalog, variables }: BothSides,
  text: string,
  options: Options,
): Promise<StatementResult> {
  return session.runIn(transaction, catalog, text, { ...options, ...(variables && { variables }) })
}

/** Throws PlanError. */
export function planOurs({ session, catalog, variables }: BothSides, text: string): Plan {
  return session.plan(text, catalog, variables)
}

/** What ANALYZE counts. Rejects with what the statement throws. */
export async function measured(
  sides: BothSides,
  text: string,
  parameters: NamedParameters,
): Promise<Required<Measured>> {
  const explained = await runOurs(sides, `EXPLAIN ANALYZE ${text}`, { parameters })
  return JSON.parse(explained.rows[0]?.[1] as string).measured
}
