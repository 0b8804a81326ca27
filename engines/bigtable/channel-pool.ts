// SPDX-License-Identifier: Apache-2.0
import type { GrpcClient as Client } from '../network/grpc-calls.ts'

/** Bigtable ends a connection after an hour; one that is younger is replaced while nothing waits for it. */
const RENEWED_AFTER_MS = 45 * 60_000

type Channel = {
  readonly client: Client
  readonly openedMs: number
  running: number
  isOld: boolean
}

/** A client with the duty to release it. */
export type TakenClient = { readonly client: Client; readonly release: () => void }

/** Connections that share the calls. A new one is opened at once and warmed before it is needed. */
export class ChannelPool {
  readonly #open: () => Client
  readonly #warm: (client: Client) => void
  readonly #channels: Channel[]

  constructor(open: () => Client, count: number, warm: (client: Client) => void = () => undefined) {
    this.#open = open
    this.#warm = warm
    this.#channels = Array.from({ length: count }, () => this.#opened())
  }

  /** The client of the connection that has the fewest calls under way. */
  take(): TakenClient {
    let at = 0
    for (const [index, { running }] of this.#channels.entries()) {
      if (running < (this.#channels[at] as Channel).running) at = index
    }
    const channel = this.#renewed(at)
    channel.running += 1
    let isReleased = false
    const release = () => {
      if (isReleased) return
      isReleased = true
      channel.running -= 1
      if (channel.isOld && channel.running === 0) channel.client.close()
    }
    return { client: channel.client, release }
  }

  async use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const { client, release } = this.take()
    try {
      return await work(client)
    } finally {
      release()
    }
  }

  close(): void {
    for (const { client } of this.#channels) client.close()
  }

  #renewed(at: number): Channel {
    const channel = this.#channels[at] as Channel
    if (performance.now() - channel.openedMs < RENEWED_AFTER_MS) return channel
    const renewed = this.#opened()
    this.#channels[at] = renewed
    channel.isOld = true
    // Its calls end first; the last of them closes it.
    if (channel.running === 0) channel.client.close()
    return renewed
  }

  #opened(): Channel {
    const client = this.#open()
    this.#warm(client)
    return { client, openedMs: performance.now(), running: 0, isOld: false }
  }
}
