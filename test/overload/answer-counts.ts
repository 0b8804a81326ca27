// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http'

/** Statuses with which a server sheds load, each of which has to say when to come again. */
const SHEDDING = new Set([429, 503])

/** What the requests of some clients were answered. */
export class AnswerCounts {
  readonly byStatus = new Map<number, number>()
  /** Refused without `Retry-After`. */
  unsaid = 0
  /** Connections that ended before the answer. */
  broken = 0

  add({ statusCode = 0, headers }: Pick<IncomingMessage, 'statusCode' | 'headers'>): void {
    this.byStatus.set(statusCode, this.of(statusCode) + 1)
    if (SHEDDING.has(statusCode) && !(Number(headers['retry-after']) > 0)) this.unsaid += 1
  }

  of(status: number): number {
    return this.byStatus.get(status) ?? 0
  }

  get shed(): number {
    return this.of(429) + this.of(503)
  }

  toString(): string {
    const statuses = [...this.byStatus].toSorted(([one], [other]) => one - other)
    const counted = statuses.map(([status, count]) => `${count} times ${status}`)
    return [...counted, `${this.broken} broken off`].join(', ')
  }
}
