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

/** A stored record that cannot be what was written: bits of it changed, or it is missing. */
export class DamagedRecord extends InvariantViolation {
  /** For clients; the facts are for the log. */
  readonly detail =
    'A stored record cannot be read. Run percolite check, and restore a backup where it finds damage.'
  /** The row that has the record, where that is known. */
  row: Uint8Array | undefined
}

/** What `decode` threw, with the row that it was decoding. */
export function thrownOf(row: Uint8Array | undefined, error: unknown): unknown {
  if (error instanceof DamagedRecord) error.row ??= row
  return error
}

/** Throws DamagedRecord when what was read breaks a numbered rule of `storage/DESIGN.md`. */
export function intact(
  holds: boolean,
  rule: string,
  facts: Readonly<Record<string, unknown>>,
): asserts holds {
  if (!holds) throw new DamagedRecord(rule, facts)
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
