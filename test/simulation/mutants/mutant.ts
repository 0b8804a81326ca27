// SPDX-License-Identifier: Apache-2.0
import type { Kind } from '../swarm.ts'
import type { ScriptName } from './scripts.ts'

/** One change of a source text; `find` must occur exactly so often as said, once when nothing is said. */
export type Edit = {
  readonly file: string
  readonly find: string
  readonly replace: string
  readonly times?: number
}

/**
 * A bug that is planted on purpose, to see that the checkers find it. The production code knows
 * nothing of this: the edit is made in memory while the module is loaded.
 */
export type Mutant = {
  readonly name: string
  /** What the code does wrong then. */
  readonly what: string
  readonly edits: readonly Edit[]
  /** By so many random runs at most (over gateways, unless said otherwise), by a script, or by a test of a file. */
  readonly caughtBy:
    | ({ readonly seedsMax: number } & Kind)
    | { readonly script: ScriptName }
    | TestOfFile
}

/** A test by its file and its whole name. */
export type TestOfFile = { readonly file: string; readonly test: string }

/** A mutant that is mostly one edit. */
export function mutant({
  name,
  what,
  caughtBy,
  more = [],
  ...edit
}: Edit & Omit<Mutant, 'edits'> & { readonly more?: readonly Edit[] }): Mutant {
  return { name, what, edits: [edit, ...more], caughtBy }
}
