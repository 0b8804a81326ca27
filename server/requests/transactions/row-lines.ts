// SPDX-License-Identifier: Apache-2.0
import { type Clock, unlessAborted } from '../../../storage/storage.ts'

/** So long at most the first in line keeps the others waiting. */
const FIRST_MS_MAX = 50

type Wait = { readonly msMax: number; readonly signal?: AbortSignal | undefined }

/**
 * A line of requests for each row that they lost, so that they run again one after the other. A request enters all of
 * its lines in one turn, so no two wait for each other. Nothing rests on who is first: who never lost does not ask.
 */
export class RowLines {
  readonly #clock: Pick<Clock, 'sleep'>
  readonly #lines = new Map<number, Ticket[]>()

  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#clock = clock
  }

  /** How many rows are waited for. */
  get size(): number {
    return this.#lines.size
  }

  /**
   * Resolves when those before it on these rows, which are given by their hashes, have left: to its place at the front
   * of all lines, or undefined where that took longer than `msMax`. Rejects with the signal's reason.
   */
  async first(rows: ReadonlySet<number>, { msMax, signal }: Wait): Promise<Ticket | undefined> {
    signal?.throwIfAborted()
    const ticket = new Ticket(this.#lines, rows)
    if (ticket.ahead > 0) {
      const tooLate = this.#clock.sleep(msMax, ticket.left)
      try {
        await unlessAborted(signal, Promise.race([ticket.isFirst.promise, tooLate]))
      } catch (error) {
        ticket.leave()
        throw error
      }
      if (ticket.ahead > 0) {
        ticket.leave()
        return undefined
      }
    }
    void this.#clock.sleep(FIRST_MS_MAX, ticket.left).then(
      () => ticket.leave(),
      () => {},
    )
    return ticket
  }
}

/** A place in the lines of some rows. */
export class Ticket {
  readonly isFirst = Promise.withResolvers<void>()
  readonly #lines: Map<number, Ticket[]>
  readonly #rows: ReadonlySet<number>
  readonly #left = new AbortController()
  /** In how many lines others are before it. */
  ahead = 0

  constructor(lines: Map<number, Ticket[]>, rows: ReadonlySet<number>) {
    this.#lines = lines
    this.#rows = rows
    for (const row of rows) {
      const line = lines.get(row)
      if (line === undefined) lines.set(row, [this])
      else {
        line.push(this)
        this.ahead += 1
      }
    }
  }

  /** Aborted when it has left. */
  get left(): AbortSignal {
    return this.#left.signal
  }

  /** It is waited for by nobody from here on. */
  leave(): void {
    if (this.left.aborted) return
    this.#left.abort()
    for (const row of this.#rows) {
      const line = this.#lines.get(row) ?? []
      const at = line.indexOf(this)
      line.splice(at, 1)
      const [next] = line
      if (next === undefined) this.#lines.delete(row)
      else if (at === 0) {
        next.ahead -= 1
        if (next.ahead === 0) next.isFirst.resolve()
      }
    }
  }
}
