// SPDX-License-Identifier: Apache-2.0
import type { EtcdClient } from './etcd-client.ts'

const EVERY_MS = 60_000
/** No read asks for an old revision; this leaves those who look with other tools some time. */
const KEPT_MS = 10 * 60_000

/** Has etcd forget revisions that are older than ten minutes: it keeps all of them by itself, up to its quota. */
export class Compactor {
  readonly #client: EtcdClient
  readonly #timer: NodeJS.Timeout
  /** Revisions with the times at which they were seen, oldest first; at most one for each round. */
  #seen: Array<{ readonly revision: string; readonly atMs: number }> = []
  #newest: string | undefined

  constructor(client: EtcdClient) {
    this.#client = client
    this.#timer = setInterval(() => this.#round(), EVERY_MS)
    this.#timer.unref()
  }

  saw(revision: string): void {
    this.#newest = revision
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #round(): void {
    const now = performance.now()
    if (this.#newest !== undefined) this.#seen.push({ revision: this.#newest, atMs: now })
    const old = this.#seen.findLast(({ atMs }) => now - atMs >= KEPT_MS)
    if (old === undefined) return
    this.#seen = this.#seen.filter(({ atMs }) => atMs > old.atMs)
    // Another gateway may have done it; what fails is done in the next round.
    this.#client.compact(old.revision).catch(() => undefined)
  }
}
