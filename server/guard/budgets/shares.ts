// SPDX-License-Identifier: Apache-2.0
import type { ByteBudget } from '../../../storage/storage.ts'
import { ALL_LIMITS } from '../../limits.ts'
import type { ClientKey } from './client-key.ts'
import { SharedBound } from './shared-bound.ts'
import { WaitingLine } from './waiting-line.ts'

/** What all clients share, by the names of the limits, as a sentence begins with it. */
const SHARED = {
  connectionsMax: 'Connections',
  receivedBytesMax: 'Bytes of requests that are arriving or running',
  unsentBytesMax: 'Bytes of responses that have not been read',
  subscriptionsBytesMax: 'Bytes of the texts and parameters of subscriptions',
  requestsMax: 'Requests under way',
  queuedRequestsMax: 'Requests that wait for their turn',
  openTransactionsMax: 'Open transactions',
  forwardedRequestsMax: 'Requests handed on to other servers',
  bufferedBytesMax: 'Bytes written and not committed',
  socketsMax: 'Open WebSockets',
  changeStreamsMax: 'Open responses of GET /v1/changes',
  subscriptionsMax: 'Subscriptions',
  liveResultsBytesMax: 'Bytes of what is kept of live results',
  observerWorkersMax: 'Workers of observers',
} as const satisfies Partial<Record<keyof typeof ALL_LIMITS, string>>

export type SharedLimit = keyof typeof SHARED

/** The bounds that all clients of one server share, each with what every client holds of it. */
export class Shares {
  readonly connections: SharedBound
  /** Requests and frames that are arriving or being worked on. */
  readonly receivedBytes: SharedBound
  /** Responses that are being made or that their clients have not taken yet. */
  readonly unsentBytes: SharedBound
  readonly subscriptionsBytes: SharedBound
  readonly requests: SharedBound
  readonly queuedRequests: SharedBound
  /** Those that `queuedRequests` counts. */
  readonly waitingLine: WaitingLine
  readonly openTransactions: SharedBound
  /** To the gateways of their transactions. */
  readonly forwardedRequests: SharedBound
  readonly bufferedBytes: SharedBound
  readonly sockets: SharedBound
  readonly changeStreams: SharedBound
  readonly subscriptions: SharedBound
  readonly liveResultsBytes: SharedBound
  readonly observerWorkers: SharedBound
  readonly all: readonly SharedBound[]
  /** Most requests come from the client that the one before came from. */
  #last: { readonly client: ClientKey; readonly share: ByteBudget } | undefined

  /** `limits` replace the usual ones. */
  constructor(limits: Partial<Record<SharedLimit, number>> = {}) {
    const bounds: SharedBound[] = []
    const bound = (limit: SharedLimit) => {
      const max = limits[limit] ?? ALL_LIMITS[limit]
      const made = new SharedBound({ limit, max, what: SHARED[limit] })
      bounds.push(made)
      return made
    }
    this.connections = bound('connectionsMax')
    this.receivedBytes = bound('receivedBytesMax')
    this.unsentBytes = bound('unsentBytesMax')
    this.subscriptionsBytes = bound('subscriptionsBytesMax')
    this.requests = bound('requestsMax')
    this.queuedRequests = bound('queuedRequestsMax')
    this.waitingLine = new WaitingLine(this.queuedRequests)
    this.openTransactions = bound('openTransactionsMax')
    this.forwardedRequests = bound('forwardedRequestsMax')
    this.bufferedBytes = bound('bufferedBytesMax')
    this.sockets = bound('socketsMax')
    this.changeStreams = bound('changeStreamsMax')
    this.subscriptions = bound('subscriptionsMax')
    this.liveResultsBytes = bound('liveResultsBytesMax')
    this.observerWorkers = bound('observerWorkersMax')
    this.all = bounds
  }

  /** The client's share of the bytes that transactions have written and not committed. */
  writtenBy(client: ClientKey): ByteBudget {
    if (this.#last?.client !== client) {
      const { bufferedBytes } = this
      const share = {
        take: (bytes: number) => bufferedBytes.take(client, bytes),
        giveBack: (bytes: number) => bufferedBytes.giveBack(client, bytes),
      }
      this.#last = { client, share }
    }
    return this.#last.share
  }
}
