// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import { CellStoreError } from '../../storage/cells/cell-store.ts'
import { status } from './status.ts'

/** What a call over the network ended with. `code` is one of gRPC's. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly code: number

  constructor(code: number, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.code = code
  }
}

/** Of a read without any progress; one that is answered in part begins to count anew. */
const READ_ATTEMPTS_MAX = 8
const FIRST_PAUSE_MS = 5
const PAUSE_MS_MAX = 500

/** What passes: overload, an aborted or an interrupted call, a server that moves. */
const PASSING: readonly number[] = [
  ...[status.RESOURCE_EXHAUSTED, status.ABORTED, status.INTERNAL, status.UNAVAILABLE],
]
const INVALID: readonly number[] = [status.INVALID_ARGUMENT, status.OUT_OF_RANGE]
/** No server of the store has answered, or none that could. */
const AWAY: readonly number[] = [...PASSING, status.DEADLINE_EXCEEDED]
/** The call was refused before it did anything. */
const REFUSED: readonly number[] = [
  ...[status.NOT_FOUND, status.PERMISSION_DENIED, status.UNIMPLEMENTED, status.UNAUTHENTICATED],
]

/**
 * What a mutation that failed means. Nobody can tell of most of them whether they were sent, so they may have been
 * applied, or may still be.
 */
export function mutationError(error: unknown): CellStoreError {
  if (error instanceof CellStoreError) return error
  const { code, message } = asCallError(error)
  if (INVALID.includes(code)) return new CellStoreError('invalid', message, { cause: error })
  if (REFUSED.includes(code)) return new CellStoreError('notApplied', message, { cause: error })
  const isAway = AWAY.includes(code)
  return new CellStoreError('ambiguous', message, { cause: error, isAway })
}

/** What a read means that failed for good. */
export function readError(error: unknown): CellStoreError {
  if (error instanceof CellStoreError) return error
  const { code, message } = asCallError(error)
  const isInvalid = INVALID.includes(code)
  const kind = isInvalid ? 'invalid' : code === status.DEADLINE_EXCEEDED ? 'deadline' : 'notApplied'
  return new CellStoreError(kind, message, { cause: error, isAway: AWAY.includes(code) })
}

/** The tries of one read, which may go on where the one before it ended. */
export class ReadAttempts {
  #failed = 0

  /** Some of the answer came. */
  progress(): void {
    this.#failed = 0
  }

  /** Resolves when the read may be sent again. Rejects with CellStoreError when it may not. */
  async pauseAfter(error: unknown, signal?: AbortSignal): Promise<void> {
    const { code } = asCallError(error)
    this.#failed += 1
    // A scan that is read slowly outlasts its call; that is nobody's fault when it got on.
    const isLate = code === status.DEADLINE_EXCEEDED && this.#failed === 1
    const isPassing = PASSING.includes(code) || isLate
    if (!isPassing || this.#failed >= READ_ATTEMPTS_MAX) throw readError(error)
    const longest = Math.min(FIRST_PAUSE_MS * 2 ** this.#failed, PAUSE_MS_MAX)
    const pauseMs = longest * (0.5 + Math.random() / 2)
    // The caller looks at the signal.
    await delay(pauseMs, undefined, signal && { signal }).catch(() => undefined)
  }
}

function asCallError(error: unknown): CallError {
  if (error instanceof CallError) return error
  throw error
}
