// SPDX-License-Identifier: Apache-2.0
import type { RoleLimit, RoleLimits } from '../../../storage/tables/access/access.ts'
import {
  clientOverloaded,
  limitExceeded,
  overloadedBy,
  type ServerError,
} from '../../errors/server-error.ts'
import type { ClientKey } from './client-key.ts'

export type BoundOptions = {
  /** The name of the limit, as `docs/limits.md` has it. */
  readonly limit: string
  readonly max: number
  /** What is counted, as a sentence begins with it: `Open transactions`. */
  readonly what: string
}

/** The last quarter of a bound is kept for clients that hold little. */
const RESERVED_PART = 1 / 4
/** A client that would hold less than this part of a bound may use the reserved quarter. */
const SMALL_PART = 1 / 8

/**
 * A bound that all clients share: one client may hold all of it but its last quarter, and that quarter is only for
 * clients that hold less than an eighth of the bound. So however much one client takes, a second one gets through.
 *
 * With a bound of 80: A takes 60 and is refused the 61st. B, which holds nothing, takes 9 of the last quarter and is
 * refused the 10th; and so may C.
 */
export class SharedBound {
  readonly limit: string
  readonly max: number
  readonly what: string
  readonly #byClient = new Map<ClientKey, number>()
  readonly #shareMax: number
  #held = 0

  constructor({ limit, max, what }: BoundOptions) {
    this.limit = limit
    this.max = max
    this.what = what
    this.#shareMax = Math.floor(max * (1 - RESERVED_PART))
  }

  /** What all clients hold together. */
  get held(): number {
    return this.#held
  }

  heldBy(client: ClientKey): number {
    return this.#byClient.get(client) ?? 0
  }

  /** Takes `amount` for the client, or throws what `refusal` returns. Each amount is to be given back. */
  take(client: ClientKey, amount = 1): void {
    const refusal = this.#held + amount <= this.#shareMax ? undefined : this.refusal(client, amount)
    if (refusal !== undefined) throw refusal
    this.#add(client, amount)
  }

  giveBack(client: ClientKey, amount = 1): void {
    this.#add(client, -amount)
  }

  /** One that a client held is from now on held by another, whose share is not asked for. */
  handOver(from: ClientKey, to: ClientKey): void {
    this.#add(from, -1)
    this.#add(to, 1)
  }

  /** Whether the client may hold `amount` more; of 0, whether it may hold what it holds. */
  mayHold(client: ClientKey, amount: number): boolean {
    const own = this.heldBy(client)
    return this.#fits(this.#held - own, own + amount)
  }

  /**
   * Why the client may not hold `amount` more; undefined when it may. `limit_exceeded` when no client ever may hold so
   * much, `client_overloaded` when its own share is used up, and `overloaded` when others hold too much.
   */
  refusal(client: ClientKey, amount = 1): ServerError | undefined {
    const own = this.heldBy(client)
    if (this.#fits(this.#held - own, own + amount)) return undefined
    const { limit, max, what } = this
    if (!this.#fits(0, amount)) return limitExceeded(limit, this.#shareMax, amount, what)
    const actual = own + amount
    if (!this.#fits(0, actual)) {
      const detail = `${what} of this client: ${actual}, and one client may hold ${this.#shareMax}. End or read some of them first.`
      return clientOverloaded(limit, this.#shareMax, actual, detail)
    }
    const detail = `${what}: other clients hold too many or too much of them.`
    return overloadedBy(limit, max, this.#held + amount, detail)
  }

  #fits(others: number, own: number): boolean {
    const { max } = this
    const total = others + own
    return total <= this.#shareMax || (total <= max && own < max * SMALL_PART)
  }

  #add(client: ClientKey, amount: number): void {
    this.#held += amount
    const own = (this.#byClient.get(client) ?? 0) + amount
    if (own === 0) this.#byClient.delete(client)
    else this.#byClient.set(client, own)
  }
}

/** Throws ServerError `client_overloaded` where the client's role does not allow it one more than it has. */
export function requireWithinRole(
  limit: RoleLimit,
  limits: RoleLimits,
  held: number,
  what: string,
): void {
  const { [limit]: limitValue } = limits
  if (limitValue === undefined || held < limitValue) return
  const actual = held + 1
  const detail = `${what} of this client: ${actual}, and its role allows ${limitValue}. End some of them first.`
  throw clientOverloaded(limit, limitValue, actual, detail)
}

/** The client waits with more requests than any other, and one of them gave way. */
export function lineIsFull({ limit, what }: SharedBound, actual: number): ServerError {
  const detail = `${what}: no more may wait, and of all clients this one waits with the most, ${actual}. Its newest request gave way to that of another client. Send fewer at a time.`
  return clientOverloaded(limit, actual - 1, actual, detail)
}
