// SPDX-License-Identifier: Apache-2.0

/** A promise of the database that a run saw broken, and which checker says so. */
export type Violation = { readonly checker: string; readonly what: string }

/** Collects the first violations of a run; more than a few add nothing. */
export class Violations {
  readonly #found: Violation[] = []

  add(checker: string, what: string): void {
    if (this.#found.length < VIOLATIONS_MAX) this.#found.push({ checker, what })
  }

  get any(): boolean {
    return this.#found.length > 0
  }

  all(): readonly Violation[] {
    return this.#found
  }
}

const VIOLATIONS_MAX = 20
