// SPDX-License-Identifier: Apache-2.0
import type { Logger } from 'pino'
import { problemOf } from './error-response.ts'
import { ClientDisconnected } from './server-error.ts'

/** How Node says that the other side of a connection has gone. */
const GONE: ReadonlySet<unknown> = new Set([
  ...['ECONNRESET', 'ECONNABORTED', 'EPIPE'],
  ...['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'],
])

const FAULTS: ReadonlySet<string> = new Set(['internal', 'store_damaged'])

/** Whether the error is only that a client has left, which every client may at any time. */
export function isOfLeaving(error: unknown): boolean {
  if (error instanceof ClientDisconnected) return true
  return error instanceof Error && 'code' in error && GONE.has(error.code)
}

/** Faults of the server; what a client has done wrong, or that it has left, is no line for an operator. */
export class FaultLog {
  readonly #log: Logger
  readonly #onDamage: () => void

  /** `onDamage` is told of each request that met damage of the store. */
  constructor(log: Logger, onDamage: () => void) {
    this.#log = log
    this.#onDamage = onDamage
  }

  add(error: unknown, message: string): void {
    if (isOfLeaving(error)) {
      this.#log.debug({ reason: String(error) }, 'a client has left')
      return
    }
    const { code } = problemOf(error)
    if (FAULTS.has(code)) this.#log.error({ err: error }, message)
    if (code === 'store_damaged') this.#onDamage()
  }
}
