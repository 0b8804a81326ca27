// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream'
import { type Clock, repeat } from '../../../storage/storage.ts'
import { problemOf } from '../../errors/error-response.ts'
import { type FaultLog, isOfLeaving } from '../../errors/fault-log.ts'
import { ServerError } from '../../errors/server-error.ts'
import type { Audit } from '../../guard/audit/audit.ts'
import { Reservation } from '../../guard/budgets/hold.ts'
import type { Shares } from '../../guard/budgets/shares.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import type { RunningRequest } from '../../requests/prepared/running-request.ts'
import { ChangeLines } from './frames/change-lines.ts'
import { SubscriptionFrame } from './frames/subscription-frame.ts'
import type { SubscriptionRequest, Subscriptions } from './subscriptions.ts'

type ChangeStreamDependencies = {
  readonly subscriptions: Pick<Subscriptions, 'serve'>
  readonly shares: Shares
  readonly clock: Clock
  readonly audit: Pick<Audit, 'answered'>
  readonly faults: FaultLog
}

type OpenStream = { readonly lines: ChangeLines; readonly running: RunningRequest }

/** The subscriptions that are answered as NDJSON. */
export class ChangeStreams {
  readonly #deps: ChangeStreamDependencies
  readonly #streams = new Set<OpenStream>()
  readonly #stopping = new AbortController()
  #refusal: ServerError | undefined
  readonly #looking: Promise<void>

  constructor(deps: ChangeStreamDependencies) {
    this.#deps = deps
    this.#looking = repeat(deps.clock, {
      everyMs: SERVER_LIMITS.progressMs,
      signal: this.#stopping.signal,
      work: () => {
        // NDJSON has no close code: the connection of a client that takes nothing is broken off.
        for (const { lines } of this.#streams) {
          if (lines.stuckMs() >= SERVER_LIMITS.socketSilenceMsMax) lines.body.destroy()
        }
      },
    })
  }

  /** The body of the answer, once it has a line; what is wrong before that is thrown. */
  async open(request: SubscriptionRequest, running: RunningRequest): Promise<Readable> {
    const { changeStreams } = this.#deps.shares
    const refusal = changeStreams.refusal(running.client)
    if (refusal !== undefined) {
      running.end()
      throw refusal
    }
    changeStreams.take(running.client)
    const { clock, shares } = this.#deps
    const lines = new ChangeLines(clock, new Reservation(shares.unsentBytes, running.client))
    const stream = { lines, running }
    this.#streams.add(stream)
    if (this.#refusal !== undefined) running.abort(this.#refusal)
    const ended = this.#deps.subscriptions.serve(request, lines, running).finally(() => {
      this.#streams.delete(stream)
      changeStreams.giveBack(running.client)
      running.end()
    })
    await Promise.race([lines.began, ended])
    ended.catch((error) => this.#end(lines, error, running))
    return lines.body
  }

  /** Ends all streams with this error; what is still to come is refused with it. */
  refuse(refusal: ServerError): void {
    this.#refusal = refusal
    for (const { running } of this.#streams) running.abort(refusal)
  }

  stop(): void {
    this.#stopping.abort()
    this.refuse(stopping())
  }

  async close(): Promise<void> {
    this.stop()
    await this.#looking
  }

  #end(lines: ChangeLines, error: unknown, running: RunningRequest): void {
    this.#deps.faults.add(error, 'a stream failed')
    if (!isOfLeaving(error)) {
      const told = problemOf(error)
      this.#deps.audit.answered(told, running)
      const { type: _, ...problem } = told
      lines.send(SubscriptionFrame.of('error', problem))
    }
    lines.end()
  }
}

function stopping(): ServerError {
  return new ServerError('overloaded', 'The server is stopping.')
}
