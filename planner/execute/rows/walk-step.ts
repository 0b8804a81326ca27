// SPDX-License-Identifier: Apache-2.0
import type { SqlRow } from '../../../storage/tables/tables.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import type { WalkPlan } from '../../plan/plan.ts'
import type { ExecutionContext } from './execution-context.ts'

/** One step of a walk: where it stands on the key, and the row there, null when a filter drops it. */
export type Step = { readonly mark: Uint8Array; readonly row: SqlRow | null }

/** An entry of an index that is passed: it leads to no row of the walk. */
export type PassedEntry = { readonly key: Uint8Array; readonly row?: undefined }

/** Steps over what was read together: one after the other without waiting, each made when it is asked for. */
export type Steps = Iterable<Step>

/** Where to begin, and how many rows will be asked for at most, when that is known. */
export type WalkWindow = {
  /** The mark of the last step of the walk that is continued. */
  readonly after?: Uint8Array
  readonly rowsWanted?: number
  /** Entries of an index that are taken at once, where the walk may end with any of them. */
  readonly entriesAtOnce?: number
}

/** What a walk is made of, at execution. */
export type Walking = {
  readonly plan: WalkPlan
  readonly scope: Scope
  readonly context: ExecutionContext
  readonly window: WalkWindow
}
