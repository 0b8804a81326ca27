// SPDX-License-Identifier: Apache-2.0
import { ServerError } from '../../errors/server-error.ts'
import { ChangeStreams } from '../../live/subscriptions/change-streams.ts'
import type { SubscriptionDependencies } from '../../live/subscriptions/subscription-parts.ts'
import { Subscriptions } from '../../live/subscriptions/subscriptions.ts'
import type { SchemaValidator } from '../http/openapi/validator.ts'
import { ClientFrameReader } from './client-frame.ts'
import type { SocketDependencies } from './socket-dependencies.ts'
import { SocketServer } from './socket-server.ts'

/** What stays open as long as its client likes: sockets, and answers that are subscriptions. */
export class LiveConnections {
  readonly subscriptions: Subscriptions
  readonly streams: ChangeStreams
  readonly sockets: SocketServer

  constructor(
    deps: Omit<SocketDependencies, 'subscriptions' | 'observers' | 'frames' | 'history'> &
      Pick<SubscriptionDependencies, 'log' | 'parseRule' | 'opaqueIds'> & {
        readonly validator: SchemaValidator
      },
  ) {
    const { parser, validator, requests } = deps
    const { turnQueue } = requests
    this.subscriptions = new Subscriptions({ ...deps, turnQueue }, parser)
    const { subscriptions } = this
    this.streams = new ChangeStreams({ ...deps, subscriptions })
    const frames = new ClientFrameReader(validator)
    const { observers, history } = deps.storage
    const more = { subscriptions, observers, frames, history: history.name }
    this.sockets = new SocketServer({ ...deps, ...more })
  }

  /** Subscriptions end at once, and sockets after the answers of their running queries. */
  stop(): void {
    this.streams.stop()
    this.sockets.stop()
  }

  /** Sends clients on to another server, now and when they come. */
  sendOn(url: string): void {
    this.streams.refuse(new ServerError('moved', `The database has been moved to ${url}.`, { url }))
    this.sockets.stop({ reason: 'moved', words: url })
  }

  /** To be called when every connection is gone. */
  async close(): Promise<void> {
    await this.streams.close()
    await this.sockets.close()
    await this.subscriptions.close()
  }
}
