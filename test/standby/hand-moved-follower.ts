// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { QueryClient } from './query-client.ts'

type Position = { readonly stream: string; readonly number: number }

/** Who follows a primary over HTTP only as far as the test says. */
export class HandMovedFollower {
  readonly #at: QueryClient
  readonly #ended = new AbortController()
  #position: Position
  #staying: Promise<void> | undefined

  private constructor(at: QueryClient, position: Position) {
    this.#at = at
    this.#position = position
  }

  /** It says that it has all that is durable there now. */
  static async of(at: QueryClient): Promise<HandMovedFollower> {
    const follower = new HandMovedFollower(at, await positionOf(at))
    await follower.#ask()
    return follower
  }

  /** Says that it has all that the primary has by now. */
  async takeAll(): Promise<void> {
    this.#position = await positionOf(this.#at)
    await this.#ask()
  }

  /** Takes all, over and over, until this work has ended. */
  async takingAll<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    const ended = work.finally(() => {
      isDone = true
    })
    while (!isDone) await this.takeAll()
    return await ended
  }

  /** Asks over and over, so that it is connected, and says each time that it has no more than before. */
  stay(): void {
    const { signal } = this.#ended
    const asking = async () => {
      // The first byte of the first group only: what it has not taken is in no memory.
      while (!signal.aborted) await this.#ask({ waitMs: 20, bytesMax: 1 }).catch(() => undefined)
    }
    this.#staying = asking()
  }

  async leave(): Promise<void> {
    this.#ended.abort()
    await this.#staying
  }

  async #ask(order: object = {}): Promise<void> {
    const wanted = { ...this.#position, waitMs: 0, ...order }
    const { status, body } = await this.#at.send('/v1/replication/groups', wanted)
    assert.equal(status, 200, JSON.stringify(body))
  }
}

async function positionOf(at: QueryClient): Promise<Position> {
  return (await at.send('/v1/replication')).body.position
}
