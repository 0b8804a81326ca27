// SPDX-License-Identifier: Apache-2.0
import type { Logger } from 'pino'
import {
  CellStoreError,
  type Clock,
  type Randomness,
  type Standby,
  type Storage,
} from '../../../storage/storage.ts'
import { type FollowedPrimary, PrimaryRefusal } from './followed-primary.ts'
import { pauseMs } from './pause.ts'
import type { StandbyState } from './standby-state.ts'

/** Why a store is followed with no more: it has to be copied again, or opened again, as its history has changed. */
export type FollowEnd = 'copy' | 'reopen'

/** After so many answers in a row that could not be applied, the copy itself is taken for what is wrong. */
const UNUSABLE_MAX = 5

type Dependencies = {
  readonly primary: FollowedPrimary
  readonly storage: Pick<Storage, 'standby' | 'history'>
  readonly state: StandbyState
  readonly clock: Clock
  readonly randomness: Randomness
  readonly log: Logger
}

/**
 * Asks the primary for groups and applies them, one answer at a time: nothing waits in memory, and a request says that
 * all before it is durable here.
 */
export class Follower {
  readonly #deps: Dependencies
  readonly #standby: Standby
  /** Another history, or an epoch that the primary has begun: its name stands in the head of every answer. */
  #isReplaced = false
  /** The commits of the last groups may be in view at the primary only since its answer, so it is asked at once. */
  #isNewVisible = false
  #failures = 0
  #unusable = 0
  /** What was said of the last failure, which is not repeated. */
  #lastReason = ''

  constructor(deps: Dependencies) {
    const { storage } = deps
    if (storage.standby === undefined) throw new TypeError('the store follows nobody')
    this.#deps = deps
    this.#standby = storage.standby
    this.#standby.historyReplaced.then(() => {
      this.#isReplaced = true
    })
  }

  /** Follows until this store cannot any more. Rejects with the signal's reason, when nothing is being applied. */
  async run(signal: AbortSignal): Promise<FollowEnd> {
    for (;;) {
      signal.throwIfAborted()
      try {
        const end = await this.#step(signal)
        if (end !== undefined) return end
      } catch (error) {
        signal.throwIfAborted()
        if (this.#isOver(error)) return 'copy'
        await this.#pause(error, signal)
      }
    }
  }

  async #step(signal: AbortSignal): Promise<FollowEnd | undefined> {
    const { primary, state, storage, log } = this.#deps
    const after = this.#standby.position
    // A copy from before anybody followed has no place in the groups.
    if (after === undefined) return 'copy'
    const had = { position: after, visible: this.#standby.visible }
    const waits = state.connected && !this.#isNewVisible
    const frame = await primary.groups(had, { waits, signal })
    await this.#standby.apply(frame)
    this.#isNewVisible = frame.groups.length > 0
    this.#failures = 0
    this.#unusable = 0
    if (state.answered(frame.groups.length)) {
      this.#lastReason = ''
      log.info({ primary: primary.url, groupsBehind: state.groupsBehind }, 'following the primary')
    }
    if (this.#isReplaced) return 'reopen'
    const { name } = storage.history
    if (state.groupsBehind === 0 && frame.history !== name) {
      if (!isOfStore(storage.history.id, frame.history)) throw new Error(ANOTHER_STORE)
      log.error({ ours: name, theirs: frame.history }, 'the copy has other epochs than the primary')
      return 'copy'
    }
    return undefined
  }

  #isOver(error: unknown): boolean {
    const { log, primary, storage } = this.#deps
    if (error instanceof CellStoreError && error.kind === 'invalid') this.#unusable += 1
    if (this.#unusable >= UNUSABLE_MAX) return true
    if (!(error instanceof PrimaryRefusal)) return false
    if (error.code !== 'replication_position_lost') return false
    if (isOfStore(storage.history.id, error.history)) return true
    log.error({ primary: primary.url }, ANOTHER_STORE)
    return false
  }

  async #pause(error: unknown, signal: AbortSignal): Promise<void> {
    const { log, primary, state, clock, randomness } = this.#deps
    this.#failures += 1
    const reason = reasonOf(error)
    if (state.disconnected() || reason !== this.#lastReason) {
      this.#lastReason = reason
      log.warn({ primary: primary.url, reason }, 'the primary cannot be followed; trying again')
    }
    await clock.sleep(pauseMs(this.#failures, randomness), signal)
  }
}

const ANOTHER_STORE =
  'the primary has another store, so nothing of this one is replaced: promote this server, or give it an empty folder'

/** Whether a history, as a server names it, is of the store with this id. One that is not named may be. */
export function isOfStore(id: string, named: string): boolean {
  return named === '' || named.split('.')[0] === id
}

/** What `fetch` says of a connection is in the cause. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}
