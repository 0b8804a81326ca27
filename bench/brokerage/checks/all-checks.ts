// SPDX-License-Identifier: Apache-2.0
import type { Population } from '../population/population.ts'
import type { RunFacts } from '../run-facts.ts'
import { BROKER_CHECKS } from './broker-checks.ts'
import { type CheckResult, resultOf } from './check.ts'
import { checkIndexes } from './index-check.ts'
import { POSITION_CHECKS } from './position-checks.ts'
import { RUN_CHECKS } from './run-checks.ts'
import { readStoreImage, type Walker } from './store-image.ts'
import { TRADE_CHECKS } from './trade-checks.ts'

const CHECKS = [...BROKER_CHECKS, ...POSITION_CHECKS, ...TRADE_CHECKS, ...RUN_CHECKS]

/** The fifteen checks, in their order, of a store in which nothing runs. */
export async function checkAll(
  store: Walker,
  population: Population,
  facts: RunFacts,
): Promise<readonly CheckResult[]> {
  const evidence = { image: await readStoreImage(store), population, facts }
  const results = CHECKS.map((check) => resultOf(check, check.problems(evidence)))
  return [...results, await checkIndexes(store)].sort((one, other) => one.number - other.number)
}

/** `15 of 15 checks hold`, and each that does not with examples of what is wrong. */
export function verdictLines(results: readonly CheckResult[]): readonly string[] {
  const broken = results.filter(({ problems }) => problems > 0)
  const line = `${results.length - broken.length} of ${results.length} checks hold`
  const reasons = broken.flatMap(({ number, title, problems, examples }) => [
    `check ${number} does not hold: ${title} (${problems.toLocaleString('en')} problems)`,
    ...examples.map((example) => `  ${example}`),
  ])
  return [line, ...reasons]
}
