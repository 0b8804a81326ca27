// SPDX-License-Identifier: Apache-2.0
import type { SqlRow } from '../../../storage/tables/tables.ts'
import type { Scope, StatementFunctions } from '../../expressions/compiled-expression.ts'
import { ConstantValues } from '../../expressions/constant-values.ts'
import type { BoundParameter } from '../../expressions/parameters.ts'
import { WorkMeter } from '../../expressions/work-meter.ts'

/** Some hundred comparisons of short values: a small part of a turn. */
const WORK_UNITS = 10_000

/**
 * A scope for what is evaluated in the turn of its request. It throws where that takes more work, or asks for the time:
 * a statement with its own budget has to find out.
 */
export function turnScope(row: SqlRow, parameters: readonly BoundParameter[]): Scope {
  const work = new WorkMeter(tooMuch, WORK_UNITS)
  return { row, parameters, functions: NO_FUNCTIONS, work, constants: new ConstantValues() }
}

const NO_FUNCTIONS: StatementFunctions = {
  get now(): never {
    return tooMuch()
  },
  uuid: tooMuch,
  nextNumbers: tooMuch,
}

function tooMuch(): never {
  throw new Error('This is for a statement to find out.')
}
