// SPDX-License-Identifier: Apache-2.0

/** The rows that every scenario starts with. */
export const TABLE = 'CREATE TABLE test (id INTEGER PRIMARY KEY, value INTEGER)'
/** Before a scenario, where the servers have run another one. */
export const NO_TABLE = 'DROP TABLE IF EXISTS test'
export const FIRST_ROWS = 'INSERT INTO test (id, value) VALUES (1, 10), (2, 20)'
export const EVERYTHING = 'SCAN * FROM test'

/**
 * Who, which statement, and what it must answer: for a read the rows as `1=10 2=20` or `nothing`;
 * for a COMMIT `OK` or `CONFLICT`; nothing where only success matters.
 *
 * The fourth word says what happens instead in the other course of the scenario, where the gateway of
 * one transaction dies between its prewrite and its commit: `DIES` marks that COMMIT, and the steps
 * whose answer is another one then have it here.
 */
export type Step = readonly [
  transaction: Name,
  statement: string,
  expected?: string,
  afterDeath?: string,
]
export type Name = 'T1' | 'T2' | 'T3' | 'T4'

export type Scenario = {
  /** As Hermitage calls it. */
  readonly name: string
  readonly title: string
  /** What would be wrong, or is allowed, in one or two sentences for the page. */
  readonly meaning: string
  /** All transactions begin before the first step, but those that have a step `BEGIN` of their own. */
  readonly steps: readonly Step[]
  /** All rows in the end; the second one after the death that the steps mark. */
  readonly final: readonly [string, string?]
}

export const DIES = 'DIES'

/** The transactions of a scenario in the order of their numbers. */
export function namesOf({ steps }: Scenario): Name[] {
  return [...new Set(steps.map(([name]) => name))].sort()
}

/** Those that begin before the first step. */
export function begunFirst(scenario: Scenario): Name[] {
  const later = scenario.steps
    .filter(([, statement]) => statement === 'BEGIN')
    .map(([name]) => name)
  return namesOf(scenario).filter((name) => !later.includes(name))
}

export function dyingIn({ steps }: Scenario): Name | undefined {
  return steps.find(([, , , afterDeath]) => afterDeath === DIES)?.[0]
}
