// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../cells/cell-store.ts'
import { keyString } from '../../cells/row-key.ts'
import { type Clock, repeat } from '../../clock.ts'
import type { StorageLog } from '../../storage-log.ts'
import type { BoundedWallClock } from '../oracle/bounded-wall-clock.ts'
import { IDLE_TOKEN_TTL_MS } from './liveness.ts'
import { scanTokens, tokenRow } from './tokens/token.ts'

const LOOK_MS = 5_000
/** A token that stays the same for longer belongs to nobody who lives. */
const UNCHANGED_MS = IDLE_TOKEN_TTL_MS + LOOK_MS
const SAID_FROM_MICROS = 10_000_000

/** The bytes of tokens by their rows. */
type Seen = Map<string, Uint8Array>

/**
 * Compares the wall clock with the time of the other processes of the store, while it is ahead of what the store bears
 * out. One that lives renews its token, with the oracle's time as it knows it: then that counts. When no token but the
 * own one has changed for as long as one lives, this process is alone, and its clock counts.
 */
export class StoreTime {
  readonly #cellStore: CellStore
  readonly #clock: Clock
  readonly #log: StorageLog
  readonly #wallClock: BoundedWallClock
  readonly #own: string
  readonly #stopping = new AbortController()
  #seen: Seen = new Map()
  #sinceMs: number | undefined
  #isSaid = false
  #looking: Promise<void> = Promise.resolve()

  constructor(deps: {
    readonly cellStore: CellStore
    readonly clock: Clock
    readonly log: StorageLog
    readonly wallClock: BoundedWallClock
    readonly incarnation: string
  }) {
    this.#cellStore = deps.cellStore
    this.#clock = deps.clock
    this.#log = deps.log
    this.#wallClock = deps.wallClock
    this.#own = keyString(tokenRow(deps.incarnation))
  }

  start(): void {
    this.#looking = repeat(this.#clock, {
      ...{ everyMs: LOOK_MS, signal: this.#stopping.signal, work: () => this.#look() },
      failed: (error) => this.#log.warn({ error: String(error) }, 'the time was not compared'),
    })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#looking
  }

  async #look(): Promise<void> {
    const aheadMicros = this.#wallClock.aheadMicros
    if (aheadMicros === 0) {
      this.#sinceMs = undefined
      this.#isSaid = false
      this.#seen = new Map()
      return
    }
    const nowMs = this.#clock.monotonicMs()
    this.#sinceMs ??= nowMs
    const changed = await this.#changedTokens()
    if (changed.length > 0) this.#follow(changed, aheadMicros)
    else if (nowMs - this.#sinceMs >= UNCHANGED_MS) this.#wallClock.isAlone()
  }

  #follow(times: readonly number[], aheadMicros: number): void {
    this.#sinceMs = this.#clock.monotonicMs()
    this.#wallClock.saw(Math.max(...times))
    if (this.#isSaid || aheadMicros < SAID_FROM_MICROS) return
    this.#isSaid = true
    const seconds = Math.round(aheadMicros / 1_000_000)
    this.#log.warn({ seconds }, 'the wall clock is ahead of the other gateways and is not followed')
  }

  /** What the oracle's time is at least, by the tokens of others that have changed since the last look. */
  async #changedTokens(): Promise<number[]> {
    const seen: Seen = new Map()
    const times: number[] = []
    for await (const { row, value, renewedAt } of scanTokens(this.#cellStore)) {
      const name = keyString(row)
      if (name === this.#own) continue
      const before = this.#seen.get(name)
      seen.set(name, value)
      if (before !== undefined && Buffer.compare(before, value) !== 0) {
        times.push(renewedAt)
      }
    }
    this.#seen = seen
    return times
  }
}

/** Whether there are tokens of processes, which may have ended. Rejects with CellStoreError. */
export async function hasTokens(cellStore: CellStore): Promise<boolean> {
  for await (const _ of scanTokens(cellStore, { limit: 1 })) return true
  return false
}
