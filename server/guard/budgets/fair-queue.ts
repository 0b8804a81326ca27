// SPDX-License-Identifier: Apache-2.0
import type { ClientKey } from './client-key.ts'

/**
 * Entries that wait, in a line for each client: the clients take turns, and the entries of one client keep their order.
 * So a client with one entry waits for one entry of each other client, however many those have.
 *
 *     A has a1 a2 a3, B has b1:   a1 b1 a2 a3
 */
export class FairQueue<Entry> {
  /** In the order in which the clients have their next turn. None is empty. */
  readonly #lines = new Map<ClientKey, Entry[]>()
  /** How often each of these lets another go when it is its turn. */
  readonly #letsGo = new Map<ClientKey, number>()
  #size = 0

  get size(): number {
    return this.#size
  }

  push(client: ClientKey, entry: Entry): void {
    this.#size += 1
    const line = this.#lines.get(client)
    if (line === undefined) this.#lines.set(client, [entry])
    else line.push(entry)
  }

  /** When it is the client's turn it lets another go first, `turns` times and while any other waits. */
  putOff(client: ClientKey, times: number): void {
    if (times > 0 && this.#lines.has(client)) this.#letsGo.set(client, times)
  }

  /** The next entry, which waits no more; undefined when none waits. */
  shift(): Entry | undefined {
    const client = this.#next()
    if (client === undefined) return undefined
    const line = this.#lines.get(client) as Entry[]
    const entry = line.shift()
    this.#size -= 1
    this.#remove(client)
    if (line.length > 0) this.#lines.set(client, line)
    return entry
  }

  /** Whose turn it is. */
  #next(): ClientKey | undefined {
    let first: ClientKey | undefined
    for (const client of this.#lines.keys()) {
      first ??= client
      const times = this.#letsGo.get(client)
      if (times === undefined) return client
      if (times > 1) this.#letsGo.set(client, times - 1)
      else this.#letsGo.delete(client)
    }
    return first
  }

  #remove(client: ClientKey): void {
    this.#lines.delete(client)
    this.#letsGo.delete(client)
  }

  /** Nothing happens where the entry does not wait. */
  delete(client: ClientKey, entry: Entry): void {
    const line = this.#lines.get(client)
    const at = line?.indexOf(entry) ?? -1
    if (line === undefined || at < 0) return
    this.#size -= 1
    if (line.length === 1) this.#remove(client)
    else line.splice(at, 1)
  }
}
