// SPDX-License-Identifier: Apache-2.0
import type { IntegerForm, Parameters, Subscribable } from '../../../../planner/planner.ts'

/** A statement with its parameters, for one role with its claims: equal names have equal answers. */
export type ResultQuery = {
  readonly name: string
  readonly statement: Subscribable
  readonly parameters: Parameters
  readonly integers: IntegerForm
  /** Whether its role may be shown less than there is. */
  readonly isRestricted: boolean
}
