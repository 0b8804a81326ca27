// SPDX-License-Identifier: Apache-2.0
import type { SqlValue } from '../../storage/values/values.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import { lengthOf } from './value-work.ts'

/**
 * What one run of a statement has computed that is the same for all of its rows, by the numbers that the plan gave:
 * each is computed when a row first asks for it, so that what no row asks for cannot fail. Values that are longer
 * together than `constantBytesMax` are computed again.
 */
export class ConstantValues {
  // Most statements have none, and make no map.
  #values: Map<number, SqlValue> | undefined
  #sets: Map<number, ReadonlySet<SqlValue>> | undefined
  #bytesLeft: number

  constructor(bytesMax: number = PLANNER_LIMITS.constantBytesMax) {
    this.#bytesLeft = bytesMax
  }

  get(slot: number): SqlValue | undefined {
    return this.#values?.get(slot)
  }

  keep(slot: number, value: SqlValue): void {
    const bytes = lengthOf(value)
    if (bytes > this.#bytesLeft) return
    this.#bytesLeft -= bytes
    this.#values ??= new Map()
    this.#values.set(slot, value)
  }

  /** The members of a list of literals and parameters, whose values are held anyway. */
  set(slot: number, make: () => ReadonlySet<SqlValue>): ReadonlySet<SqlValue> {
    const known = this.#sets?.get(slot)
    if (known !== undefined) return known
    const made = make()
    this.#sets ??= new Map()
    this.#sets.set(slot, made)
    return made
  }
}
