// SPDX-License-Identifier: Apache-2.0
import type { SqlRow } from '../../../storage/tables/tables.ts'
import type { SqlType, SqlValue } from '../../../storage/values/values.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import { lengthOf, paidIdentityOf } from '../../expressions/value-work.ts'
import { NODE_UNITS, type WorkMeter } from '../../expressions/work-meter.ts'
import type { AggregatePlan } from '../../plan/plan.ts'
import { limitExceeded } from '../../plan-error.ts'
import { PLANNER_LIMITS } from '../../planner-limits.ts'
import { bytesOfValue, bytesOfValues, type HeldBytes, keptValue } from '../../sorting/held-bytes.ts'
import { Group } from './group.ts'

/** Makes groups of rows, wherever these are from. */
export interface Grouping {
  /** The group that ends before this row, which is to be added next. */
  endedBy(row: SqlRow): Group | undefined
  add(row: SqlRow): void
  /** When there are no more rows: the groups that have not ended, in the order of their first rows. */
  rest(): Iterable<Group>
  /** Whether no further row changes the answer. */
  readonly isDecided: boolean
}

/** `scope` is that of the statement. */
export function groupingOf(plan: AggregatePlan, scope: Scope, held: HeldBytes): Grouping {
  return plan.aggregation.isHeld
    ? new HeldGroups(plan, scope, held)
    : new FollowingGroups(plan, scope, held)
}

/** The rows of a group follow each other, so only the group that is being read is held. */
class FollowingGroups implements Grouping {
  readonly #plan: AggregatePlan
  readonly #scope: Scope
  readonly #held: HeldBytes
  #group: Group | undefined
  #values: readonly SqlValue[] = []
  #ofRow: Scope | undefined
  #isNext = false

  constructor(plan: AggregatePlan, scope: Scope, held: HeldBytes) {
    this.#plan = plan
    this.#scope = scope
    this.#held = held
  }

  endedBy(row: SqlRow): Group | undefined {
    const ofRow = { ...this.#scope, row }
    this.#ofRow = ofRow
    // Most statements without GROUP BY count thousands of rows.
    if (this.#plan.aggregation.parts.length === 0) return undefined
    const values = valuesOf(this.#plan, ofRow)
    this.#isNext = this.#group === undefined || !this.#isSame(values)
    if (!this.#isNext) return undefined
    this.#values = values
    return this.#group
  }

  add(row: SqlRow): void {
    if (this.#isNext || this.#group === undefined) {
      this.#group = new Group(this.#plan.aggregation, this.#values, this.#held)
    }
    const ofRow = this.#ofRow?.row === row ? this.#ofRow : { ...this.#scope, row }
    this.#group.add(ofRow)
  }

  /** Without GROUP BY there is one group, even of no rows. */
  rest(): Iterable<Group> {
    const { aggregation } = this.#plan
    if (this.#group !== undefined) return [this.#group]
    return aggregation.parts.length === 0 ? [new Group(aggregation, [], this.#held)] : []
  }

  get isDecided(): boolean {
    const { decidedBy } = this.#plan.aggregation
    return decidedBy !== undefined && this.#group?.hasValue === true
  }

  /** Here, as in the order of keys, NULL is equal to NULL. */
  #isSame(values: readonly SqlValue[]): boolean {
    const { work } = this.#scope
    const isIdentical = values.every((value, part) => {
      work.spend(lengthOf(value))
      return value === this.#values[part]
    })
    if (isIdentical) return true
    const types = typesOf(this.#plan)
    return groupKeyOf(types, values, work) === groupKeyOf(types, this.#values, work)
  }
}

/** Groups whose rows come in any order: all are held, and so there are only so many. */
class HeldGroups implements Grouping {
  readonly #plan: AggregatePlan
  readonly #types: ReturnType<typeof typesOf>
  readonly #scope: Scope
  readonly #held: HeldBytes
  readonly #groups = new Map<SqlValue, Group>()
  readonly isDecided = false

  constructor(plan: AggregatePlan, scope: Scope, held: HeldBytes) {
    this.#plan = plan
    this.#types = typesOf(plan)
    this.#scope = scope
    this.#held = held
  }

  endedBy(): undefined {}

  add(row: SqlRow): void {
    const ofRow = { ...this.#scope, row }
    const values = valuesOf(this.#plan, ofRow)
    const key = groupKeyOf(this.#types, values, ofRow.work)
    const group = this.#groups.get(key) ?? this.#begin(key, values, ofRow.work)
    group.add(ofRow)
  }

  *rest(): Generator<Group> {
    for (const group of this.#groups.values()) yield group
  }

  /** Throws PlanError `limit_exceeded`. */
  #begin(key: SqlValue, values: readonly SqlValue[], work: WorkMeter): Group {
    const count = this.#groups.size + 1
    if (count > PLANNER_LIMITS.groupsMax) throw tooManyGroups(this.#plan, count)
    this.#held.change(bytesOfValue(key) + bytesOfValues(values))
    const own = values.map((value) => keptValue(value, work))
    const group = new Group(this.#plan.aggregation, own, this.#held)
    this.#groups.set(keptValue(key, work), group)
    return group
  }
}

function valuesOf({ aggregation }: AggregatePlan, scope: Scope): readonly SqlValue[] {
  return aggregation.parts.map(({ value }) => value.evaluate(scope))
}

function typesOf({ aggregation }: AggregatePlan) {
  return aggregation.parts.map(({ type }) => type)
}

function tooManyGroups({ position }: AggregatePlan, actual: number): Error {
  const { groupsMax } = PLANNER_LIMITS
  const message = `This statement has more than ${groupsMax} groups, and no key gives them one after the other.`
  return limitExceeded('groupsMax', actual, message, {
    position,
    hint: 'Take a WHERE of fewer rows, or an index that begins with the columns of the groups.',
  })
}

/** What a group is found by: equal exactly when all values are, NULL being equal to NULL. */
function groupKeyOf(
  types: readonly SqlType[],
  values: readonly SqlValue[],
  work: WorkMeter,
): SqlValue {
  work.spend(NODE_UNITS * types.length)
  const identities = types.map((type, index) =>
    paidIdentityOf(type, values[index] as SqlValue, work),
  )
  return identities.length === 1 ? (identities[0] as SqlValue) : identities.map(textOf).join('')
}

/** A text tells its length first, so that no two lists of values are written alike. */
function textOf(identity: SqlValue): string {
  if (identity === null) return '~'
  return typeof identity === 'string' ? `${identity.length}:${identity}` : `${identity};`
}
