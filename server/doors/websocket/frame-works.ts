// SPDX-License-Identifier: Apache-2.0

import { problemOf } from '../../errors/error-response.ts'
import { isOfLeaving } from '../../errors/fault-log.ts'
import type { ClientKey } from '../../guard/budgets/client-key.ts'
import { type InspectionSink, SocketInspections } from '../../live/cells/socket-inspections.ts'
import {
  type NotificationFields,
  SocketObservations,
} from '../../live/observers/socket-observations.ts'
import { SubscriptionFrame } from '../../live/subscriptions/frames/subscription-frame.ts'
import type { RunningRequest } from '../../requests/prepared/running-request.ts'
import type { ClientFrame } from './client-frame.ts'
import type { SocketDependencies } from './socket-dependencies.ts'
import type { SocketOutbox } from './socket-outbox.ts'
import { SocketQueries } from './socket-queries.ts'
import type { SocketSink } from './socket-sink.ts'

/** One frame, in the parts that it is sent in; none of them is no frame. */
export type FrameParts = readonly Buffer[]

type Frame<Type extends ClientFrame['type']> = Extract<ClientFrame, { type: Type }>

/** The client ended the subscription or observation itself. */
export class Unsubscribed extends Error {}

/**
 * What the frames of one socket ask for. Each work resolves to the last frame about its `id`, or rejects
 * with what `failed` makes that frame of.
 */
export class FrameWorks {
  readonly #deps: SocketDependencies
  readonly #outbox: SocketOutbox
  readonly #queries: SocketQueries
  readonly #observations: SocketObservations
  readonly #inspections: SocketInspections

  constructor(deps: SocketDependencies, outbox: SocketOutbox, client: ClientKey) {
    this.#deps = deps
    this.#outbox = outbox
    this.#queries = new SocketQueries(deps)
    this.#observations = new SocketObservations(deps, client)
    this.#inspections = new SocketInspections(deps)
  }

  async query(
    { id, request, notification }: Frame<'query'>,
    running: RunningRequest,
  ): Promise<FrameParts> {
    const held = notification === undefined ? undefined : this.#observations.held(notification)
    const fields = await this.#queries.answer(request, running, held)
    return [Buffer.from(`{"type":"result","id":${JSON.stringify(id)},${fields}`)]
  }

  async release({ id, request }: Frame<'release'>): Promise<FrameParts> {
    this.#observations.held(request.notification).giveUp(request.error)
    return frameParts('released', id)
  }

  async observe({ id, request }: Frame<'observe'>, running: RunningRequest): Promise<FrameParts> {
    running.follows()
    const deliver = (fields: NotificationFields) =>
      this.#outbox.send(SubscriptionFrame.of('notification', fields).parts(id))
    const served = this.#observations.serve(request, deliver, running)
    return await served.catch(endedBy('unobserved', id))
  }

  async subscribe(
    { id, request }: Frame<'subscribe'>,
    sink: SocketSink,
    running: RunningRequest,
  ): Promise<FrameParts> {
    const served = this.#deps.subscriptions.serve(request, sink, running)
    return await served.catch(endedBy('unsubscribed', id))
  }

  async inspect({ id, request }: Frame<'inspect'>, running: RunningRequest): Promise<FrameParts> {
    const outbox = this.#outbox
    const sink: InspectionSink = {
      get isWritable() {
        return outbox.isWritable
      },
      send: (type, fields) => {
        const head = `{"type":"${type}","id":${JSON.stringify(id)}`
        outbox.send([head, ...fields].map((part) => Buffer.from(part)))
      },
      room: (signal) => outbox.room(signal),
    }
    const served = this.#inspections.serve(request, sink, running)
    return await served.catch(endedBy('unsubscribed', id))
  }

  /** To be called when rights may have changed. */
  stepRights(): void {
    this.#inspections.stepRights()
  }

  /**
   * The `type` of a problem only says its code once more, and here it is the type of the frame. `running` is what
   * failed, where it had begun.
   */
  failed(id: string, error: unknown, running?: RunningRequest): FrameParts {
    if (isOfLeaving(error)) return []
    const told = problemOf(error)
    if (running !== undefined) this.#deps.audit.answered(told, running)
    const { type: _, ...problem } = told
    this.#deps.faults.add(error, 'a frame failed')
    return SubscriptionFrame.of('error', problem).parts(id)
  }

  /** To be called when every work has ended: transactions that are open, and what is held, end too. */
  async close(): Promise<void> {
    await this.#queries.close()
    await this.#observations.close()
  }
}

/** The last frame about what its client ended itself; any other error is thrown. */
function endedBy(type: string, id: string): (error: unknown) => FrameParts {
  return (error) => {
    if (error instanceof Unsubscribed) return frameParts(type, id)
    throw error
  }
}

/** A frame that says nothing but its type. */
export function frameParts(type: string, id: string): FrameParts {
  return SubscriptionFrame.of(type, {}).parts(id)
}
