// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../parser/ast.ts'
import { Decimal, type SqlValue } from '../../storage/values/values.ts'
import { lengthOf } from '../expressions/value-work.ts'
import type { WorkMeter } from '../expressions/work-meter.ts'
import { limitExceeded } from '../plan-error.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'

/** What a statement holds for itself, beside its answer: it is taken from the share of its client. */
export type HoldBytes = (bytes: number) => void

/** Less than this is not told: one of each runs on a connection, and those are counted. */
const TOLD_BYTES_MIN = 16 * 1024
/** It is told in steps, so that most rows tell nobody anything. */
const TOLD_BYTES_STEP = 256 * 1024

/** What an object with its values takes, beside the characters and bytes of those. */
const OBJECT_BYTES = 96
const VALUE_BYTES = 24

/** About how many bytes one statement holds of rows that it sorts, and of groups. */
export class HeldBytes {
  readonly #hold: HoldBytes
  readonly #position: Position
  #bytes = 0
  #told = 0

  constructor(position: Position, hold: HoldBytes = () => {}) {
    this.#position = position
    this.#hold = hold
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Throws PlanError `limit_exceeded`, and what the client's share refuses. */
  change(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= this.#told || this.#bytes < TOLD_BYTES_MIN) return
    if (this.#bytes > PLANNER_LIMITS.sortBytesMax) throw tooManyBytes(this.#bytes, this.#position)
    const told = Math.ceil(this.#bytes / TOLD_BYTES_STEP) * TOLD_BYTES_STEP
    this.#hold(told)
    this.#told = told
  }

  /** A part of it that is given back as a whole. */
  part(): HeldPart {
    return new HeldPart(this)
  }

  /** To be called when the statement holds nothing any more. */
  release(): void {
    if (this.#told > 0) this.#hold(0)
    this.#bytes = 0
    this.#told = 0
  }
}

/** What one group holds. */
export class HeldPart {
  readonly #whole: HeldBytes
  #bytes = 0

  constructor(whole: HeldBytes) {
    this.#whole = whole
  }

  /** Throws as that of `HeldBytes`. */
  change(bytes: number): void {
    this.#bytes += bytes
    this.#whole.change(bytes)
  }

  release(): void {
    this.change(-this.#bytes)
  }
}

/** About how many bytes an object with these values takes: a character may take two. */
export function bytesOfValues(values: readonly SqlValue[]): number {
  let bytes = OBJECT_BYTES
  for (const value of values) bytes += bytesOfValue(value)
  return bytes
}

export function bytesOfValue(value: SqlValue): number {
  return VALUE_BYTES + lengthOf(value) * (typeof value === 'string' ? 2 : 1)
}

function tooManyBytes(actual: number, position: Position): Error {
  const max = PLANNER_LIMITS.sortBytesMax
  const message = `What this statement sorts and groups takes more than ${max} bytes.`
  return limitExceeded('sortBytesMax', actual, message, {
    position,
    hint: 'Sort and group by shorter values, or along a key, which holds nothing.',
  })
}

/** A text of so many characters is a copy in any case; a longer one may be a part of a text that it keeps alive. */
const COPIED_CHARACTERS = 12

/** The value in memory of its own: what is kept of a row must not keep the row. */
export function keptValue(value: SqlValue, work: WorkMeter): SqlValue {
  const length = lengthOf(value)
  if (typeof value === 'string' ? length <= COPIED_CHARACTERS : length === 0) return value
  // It is a part of nothing.
  if (value instanceof Decimal) return value
  work.spend(length)
  return typeof value === 'string'
    ? Buffer.from(value).toString()
    : Uint8Array.from(value as Uint8Array)
}
