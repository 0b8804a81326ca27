// SPDX-License-Identifier: Apache-2.0

/** A rule of `storage/DESIGN.md` that did not hold: a bug or damaged data, never a user's mistake. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation'
  readonly rule: string
  readonly facts: Readonly<Record<string, unknown>>

  constructor(rule: string, facts: Readonly<Record<string, unknown>>) {
    super(`Invariant ${rule} does not hold: ${JSON.stringify(facts, textOfBigInt)}`)
    this.rule = rule
    this.facts = facts
  }
}

/** Throws when a numbered rule of `storage/DESIGN.md` does not hold. Stays on in production. */
export function invariant(
  holds: boolean,
  rule: string,
  facts: Readonly<Record<string, unknown>> = {},
): asserts holds {
  if (!holds) throw new InvariantViolation(rule, facts)
}

function textOfBigInt(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
