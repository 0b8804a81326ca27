// SPDX-License-Identifier: Apache-2.0
import { AnswerBytes, type StatementResult, valueToJson } from '../../../planner/planner.ts'
import type { Timestamp } from '../../../storage/storage.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { limitExceeded } from '../../errors/server-error.ts'
import { COUNTED_BYTES_MIN } from '../../guard/budgets/hold.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import type { AnswerBody } from './answer-body.ts'

/** What running a request came to, before it takes the form of JSON. */
export type QueryOutcome = {
  /** One for each statement of the request. */
  readonly results: readonly StatementResult[]
  readonly readTimestamp: Timestamp
  readonly commitTimestamp: Timestamp | null
  readonly attempts: number
  readonly cursor?: string
  /** The transaction over several requests that these statements were the first of. */
  readonly opened?: { readonly transaction: string; readonly expiresAt: string }
  /** Its results in a form that is text, where that was made before the commit. */
  readonly text?: AnswerBody
}

/**
 * Makes the results a text, in pieces. Throws where there is no such text, or where it is more than
 * `budget` has left.
 */
export type TextForm = (outcome: QueryOutcome, budget: AnswerBudget) => Iterable<string>

/** The result of BEGIN, COMMIT and ROLLBACK. */
export const EMPTY_RESULT: StatementResult = { columns: [], rows: [], rowsAffected: 0 }

/**
 * A row as an object without a prototype, so that no column name has a meaning of its own. A number of a
 * JSON column that a double cannot hold is `JSON.rawJSON`.
 */
export function rowToJson(
  columns: StatementResult['columns'],
  row: readonly SqlValue[],
  integers: 'number' | 'string' = 'number',
): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null)
  for (const [index, { name, type }] of columns.entries()) {
    object[name] = valueToJson(type, row[index] ?? null, { integers })
  }
  return object
}

type AnsweredRequest = {
  readonly holdUnsent: (bytes: number) => void
  readonly releaseUnsent: () => void
}

/**
 * Keeps the answer of one request from filling the memory, however many statements it has, and the answers that one
 * client does not read from filling it together: they are held while they are made, so that what is refused has
 * not been committed.
 */
export class AnswerBudget {
  readonly #request: AnsweredRequest | undefined
  #bytes = 0
  #textBytes = 0
  #besides = 0
  #isHeld = false

  /** The request holds what the last budget that was made for it counts. */
  constructor(request?: AnsweredRequest) {
    this.#request = request
    request?.releaseUnsent()
  }

  /** What is taken, for a statement that measures its answer while it makes it. */
  get bytes(): { readonly used: number; readonly max: number } {
    return { used: this.#bytes, max: SERVER_LIMITS.answerBytesMax }
  }

  add(result: StatementResult): void {
    const { written } = result
    this.take(written === undefined ? bytesOfHeld(result) : written.columnBytes + written.bytes)
  }

  /**
   * Counts text before it is made of results that have been counted: the answer is as large as they are
   * or as their text is, whichever is more.
   */
  takeText(bytes: number): void {
    this.#textBytes += bytes
    if (this.#textBytes > this.#bytes) this.take(this.#textBytes - this.#bytes)
  }

  /** Counts a part of an answer that is no result of a statement. */
  take(bytes: number): void {
    this.#bytes += bytes
    const { answerBytesMax } = SERVER_LIMITS
    if (this.#bytes > answerBytesMax) {
      throw limitExceeded('answerBytesMax', answerBytesMax, this.#bytes, 'Bytes of the answer')
    }
    this.#hold()
  }

  /** What a statement holds besides while its answer is made; 0 when it holds nothing any more. */
  readonly holdBesides = (bytes: number): void => {
    this.#besides = bytes
    this.#hold()
  }

  #hold(): void {
    const bytes = this.#bytes + this.#besides
    if (bytes >= COUNTED_BYTES_MIN || this.#isHeld) this.#request?.holdUnsent(bytes)
    this.#isHeld ||= bytes >= COUNTED_BYTES_MIN
  }
}

/** Not all who make results have counted their rows. */
function bytesOfHeld({ columns, rows, bytes }: StatementResult): number {
  if (columns.length === 0) return 0
  const answerBytes = new AnswerBytes(columns)
  const counted = bytes ?? rows.reduce((sum, row) => sum + answerBytes.of(row), 0)
  return answerBytes.ofColumns + counted
}
