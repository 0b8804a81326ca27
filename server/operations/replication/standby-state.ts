// SPDX-License-Identifier: Apache-2.0
import type { Clock, Standby } from '../../../storage/storage.ts'

/** What a standby is doing: `stopped` is one that is being closed, or promoted. */
export type StandbyPhase = 'following' | 'copying' | 'stopped'

/** How far a standby is, as `/readyz`, the metrics and `GET /v1/replication` have it. */
export type StandbyView = {
  readonly primary: string
  readonly phase: StandbyPhase
  readonly connected: boolean
  readonly groupsBehind: number
  /** For how long it has not had all that its primary had; 0 while it has. */
  readonly behindMs: number
}

/** What a standby knows of itself, over all stores that it opens one after the other. */
export class StandbyState {
  /** The address of who takes the writes. */
  readonly primary: string
  readonly #clock: Clock
  phase: StandbyPhase = 'following'
  connected = false
  /** Since the start of the process. */
  copies = 0
  appliedBytes = 0
  #standby: Standby | undefined
  #answeredMs: number
  #caughtUpMs: number

  constructor(primary: string, clock: Clock) {
    this.primary = primary
    this.#clock = clock
    // Until the first answer, nothing is known to be missing.
    this.#answeredMs = clock.monotonicMs()
    this.#caughtUpMs = this.#answeredMs
  }

  /** Another store is followed with from now on. */
  opened(standby: Standby): void {
    this.#standby = standby
  }

  /** An answer of the primary has been applied. Returns whether it is the first one since the connection was lost. */
  answered(bytes: number): boolean {
    const isNew = !this.connected
    this.connected = true
    this.appliedBytes += bytes
    this.#answeredMs = this.#clock.monotonicMs()
    if (this.groupsBehind === 0) this.#caughtUpMs = this.#answeredMs
    return isNew
  }

  /** The primary does not answer. Returns whether it has until now. */
  disconnected(): boolean {
    const isNew = this.connected
    this.connected = false
    return isNew
  }

  get groupsBehind(): number {
    return this.#standby?.groupsBehind ?? 0
  }

  get behindMs(): number {
    if (this.connected && this.groupsBehind === 0) return 0
    return Math.round(this.#clock.monotonicMs() - this.#caughtUpMs)
  }

  /** For how long the primary has not answered. */
  get silentMs(): number {
    return Math.round(this.#clock.monotonicMs() - this.#answeredMs)
  }

  view(): StandbyView {
    const { primary, phase, connected, groupsBehind, behindMs } = this
    return { primary, phase, connected, groupsBehind, behindMs }
  }
}

/** What a server that follows another is given. */
export type Following = {
  readonly state: StandbyState
  /** Begins to make it a primary: the server is closed, and opened again as one. */
  promote(): void
}
