// SPDX-License-Identifier: Apache-2.0
import type { Logger } from 'pino'
import { PlanError } from '../../../planner/planner.ts'
import {
  type Clock,
  type FeedCommit,
  type Randomness,
  type Storage,
  StorageError,
  type Timestamp,
} from '../../../storage/storage.ts'
import type {
  RelayPart,
  RelayProgress,
  RelayRows,
  RelayStop,
} from '../../../storage/tables/access/access.ts'
import { tableIdOf } from '../../../storage/tables/tables.ts'
import type { Access } from '../../guard/access/access.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import type { RelayAddresses } from './relay-addresses.ts'
import { RelayConnection } from './relay-connection.ts'
import { type RelayMessage, relayMessage, signedHeaders } from './relay-message.ts'
import { HeldProgress, NotHeld } from './relay-progress.ts'
import type { PartRows, RelayTables } from './relay-rows.ts'
import { type Outcome, outcomeOf, retryDelayMs } from './retry.ts'
import type { Wakes } from './wakes.ts'

export type RelaySenderDependencies = {
  readonly storage: Storage
  readonly clock: Clock
  readonly randomness: Randomness
  readonly log: Logger
  readonly access: Pick<Access, 'lookIfDue'>
  readonly addresses: RelayAddresses
  readonly tables: RelayTables
  /** Told of each commit. */
  readonly wakes: Wakes
  /** Told of each try. */
  readonly tried: (relay: string, outcome: Outcome) => void
}

/** After an error of the store. */
const STORE_RETRY_MS = 1_000
/** How long a server that ends waits for the receiver, and for the store. */
const GRACE_MS = 2_000
/** How often the position is written while nothing is sent; also by a retention of a millisecond not all the time. */
const IDLE_WRITE_MS = { min: 100, max: 60_000 } as const

/** Why a relay sends nothing any more, until a statement resumes it. */
class Stopped extends Error {
  readonly reason: RelayStop['reason']

  constructor(reason: RelayStop['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * Sends what a relay has to send, from its position on: a commit after the other, and the next one when the receiver
 * has taken the one before (L2). It holds no snapshot between two messages, so it keeps nothing from being collected.
 */
export class RelaySender {
  readonly name: string
  readonly epoch: number
  readonly relayId: string
  readonly #deps: RelaySenderDependencies
  readonly #held: HeldProgress
  readonly #tables: ReadonlySet<number>
  readonly #connection: RelayConnection
  readonly #stopping = new AbortController()
  /** Ends the request that is under way. */
  readonly #breaking = new AbortController()
  #hasWarned = false
  #running: Promise<void> = Promise.resolve()

  /** `holder` is this process, which `found` names as the one that sends. */
  constructor(found: RelayRows, holder: string, deps: RelaySenderDependencies) {
    this.name = found.relay.name
    this.epoch = found.progress.epoch
    this.relayId = found.relay.id
    this.#deps = deps
    this.#held = new HeldProgress(found, holder, deps)
    this.#tables = new Set(found.relay.tables)
    this.#connection = new RelayConnection(found.relay.url, deps.addresses)
  }

  /** `ended` is called when it sends no more, and was not stopped. */
  start(ended: () => void): void {
    this.#running = this.#run().then(() => {
      this.#connection.close()
      if (!this.#stopping.signal.aborted) ended()
    })
  }

  /** Resolves when nothing is under way any more. With `release` another process may send at once. */
  async stop({ release }: { readonly release: boolean }): Promise<void> {
    const { clock } = this.#deps
    this.#stopping.abort()
    // What the receiver has just taken is not sent again by the next one.
    await Promise.race([this.#running, clock.sleep(GRACE_MS)])
    this.#breaking.abort()
    await this.#running
    if (!release) return
    // Others find out by themselves, later, where the store does not answer.
    const released = this.#held.release().catch(() => undefined)
    await Promise.race([released, clock.sleep(GRACE_MS)])
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    const { clock, log } = this.#deps
    while (!signal.aborted) {
      try {
        await this.#held.read()
        await this.#serve(signal)
      } catch (error) {
        if (signal.aborted || error instanceof NotHeld) return
        const stop = stopOf(error)
        if (stop !== undefined && (await this.#stopFor(stop))) return
        if (stop === undefined) {
          log.warn({ relay: this.name, error: String(error) }, 'a relay was interrupted')
        }
        await clock.sleep(STORE_RETRY_MS, signal).catch(() => undefined)
      }
    }
  }

  async #serve(signal: AbortSignal): Promise<void> {
    const { storage, wakes } = this.#deps
    this.#requireHistory()
    let position = this.#held.progress.position
    for (;;) {
      signal.throwIfAborted()
      const { within } = this.#held.progress
      if (within?.kind === 'snapshot') {
        await this.#sendPart(within, () => this.#snapshotPart(within), signal)
        continue
      }
      const seen = wakes.count
      const page = await storage.feed.read(position, {
        rowsMax: SERVER_LIMITS.feedPageRows,
        signal,
      })
      for (const commit of page.commits) await this.#sendCommit(commit, signal)
      position = page.position
      const idleMs = await this.#idleMs()
      await this.#passed(position, idleMs, page.isCaughtUp)
      if (page.isCaughtUp) await wakes.wait(seen, idleMs, signal)
    }
  }

  /** The position is written even where nothing was sent, or it would fall below the safe point. */
  async #passed(position: Timestamp, idleMs: number, isIdle: boolean): Promise<void> {
    const { position: written, isIdle: wasIdle } = this.#held.progress
    const isDue = position - written >= idleMs * 1_000
    if (!isDue && (wasIdle || !isIdle)) return
    await this.#write((before) => ({ ...before, position, isIdle }))
  }

  async #idleMs(): Promise<number> {
    const { retentionMs } = await this.#deps.storage.retention.read()
    return Math.min(IDLE_WRITE_MS.max, Math.max(IDLE_WRITE_MS.min, retentionMs / 4))
  }

  /** In parts where it is long, all of them before the next commit. */
  async #sendCommit(commit: FeedCommit, signal: AbortSignal): Promise<void> {
    const { commitTs: at } = commit
    if (!concerns(commit, this.#tables)) return
    for (;;) {
      signal.throwIfAborted()
      const { within, position } = this.#held.progress
      if (position >= at) return
      const isBegun = within?.kind === 'commit' && within.at === at
      const part = isBegun ? within : { kind: 'commit' as const, at, part: 1, from: 0 }
      const isSent = await this.#sendPart(part, () => this.#commitPart(commit, part), signal)
      if (!isSent) return
    }
  }

  /** Sends it until it is taken; false where it has nothing that the role sees. */
  async #sendPart(
    part: RelayPart,
    make: () => Promise<PartRows>,
    signal: AbortSignal,
  ): Promise<boolean> {
    await this.#deps.access.lookIfDue()
    // It may have another secret by now, or be paused.
    await this.#held.read()
    const rows = await make()
    const isWhole = part.part === 1 && rows.isLast
    if (isWhole && rows.isEmpty && part.kind === 'commit') return false
    // What the receiver may have is not put together again, with other rows, under the same id (L3).
    if (!isWhole && part.end === undefined) {
      await this.#write((before) => ({ ...before, within: { ...part, end: rows.end } }))
    }
    await this.#deliver(relayMessage(this.#held.relay, part, rows), signal)
    await this.#write(({ within: _, failing: __, ...before }) => {
      const sent = { ...before, sent: before.sent + 1, isIdle: false }
      if (rows.isLast) return { ...sent, position: Math.max(before.position, part.at) }
      const { kind, at } = part
      return { ...sent, within: { kind, at, part: part.part + 1, from: rows.end } }
    })
    this.#hasWarned = false
    return true
  }

  #commitPart(commit: FeedCommit, part: RelayPart): Promise<PartRows> {
    return this.#deps.tables.ofCommit(this.#held.relay, commit, part)
  }

  #snapshotPart(part: RelayPart): Promise<PartRows> {
    return this.#deps.tables.ofSnapshot(this.#held.relay, part)
  }

  /** Resolves when the receiver has taken it. Throws Stopped where that is not to be waited for any more. */
  async #deliver(message: RelayMessage, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps
    for (;;) {
      const { failing } = this.#held.progress
      const waitMs = failing === undefined ? 0 : (failing.nextTryAt - clock.wallMicros()) / 1_000
      if (waitMs > 0) await clock.sleep(waitMs, signal)
      signal.throwIfAborted()
      const outcome = await this.#try(message, signal)
      this.#deps.tried(this.name, outcome)
      if (outcome.kind === 'taken') return
      if (outcome.kind === 'gone') throw new Stopped('relay_gone', outcome.message)
      const { relay } = this.#held
      log.warn({ relay: relay.name, id: message.id, reason: outcome.message }, 'a relay failed')
      await this.#failed(outcome)
      await this.#lookBack()
    }
  }

  async #try(message: RelayMessage, signal: AbortSignal): Promise<Outcome> {
    const headers = signedHeaders(message, this.#held.relay, this.#deps.clock.wallMicros())
    try {
      const { signal: breaking } = this.#breaking
      return outcomeOf(await this.#connection.post(headers, message.body, breaking))
    } catch (error) {
      signal.throwIfAborted()
      return { kind: 'failed', message: (error as Error).message || String(error) }
    }
  }

  /** Throws Stopped where it has failed for too long. */
  async #failed(outcome: Extract<Outcome, { kind: 'failed' }>): Promise<void> {
    const { clock, randomness } = this.#deps
    const now = clock.wallMicros()
    const { failing } = this.#held.progress
    const { since = now, tries = 0 } = failing ?? {}
    if (now - since > SERVER_LIMITS.relayRetryMsMax * 1_000) {
      throw new Stopped('relay_failing', outcome.message)
    }
    const nextTryAt = now + Math.round(retryDelayMs(tries, outcome, randomness) * 1_000)
    const failed = { since, tries: tries + 1, message: outcome.message.slice(0, 500), nextTryAt }
    await this.#write((before) => ({ ...before, isIdle: false, failing: failed }))
  }

  /** It waits for the receiver, and the store for nobody. Throws StorageError `resume_too_old`. */
  async #lookBack(): Promise<void> {
    const { storage, clock, log } = this.#deps
    const { position } = this.#held.progress
    await storage.feed.read(position, { rowsMax: 1 })
    const { retentionMs } = await storage.retention.read()
    const ageMs = (clock.wallMicros() - position) / 1_000
    if (ageMs < retentionMs / 2 || this.#hasWarned) return
    this.#hasWarned = true
    log.warn({ relay: this.name, ageMs }, 'a relay is behind by more than half of the retention')
  }

  /** Throws StorageError `history_replaced` where a copy was put back that has not what was sent. */
  #requireHistory(): void {
    const { position, history } = this.#held.progress
    this.#deps.storage.history.require(position, history)
  }

  async #write(change: (before: RelayProgress) => RelayProgress): Promise<void> {
    await this.#held.write(change, this.#stopping.signal)
  }

  /** Whether the store has it. */
  async #stopFor({ reason, message }: Stopped): Promise<boolean> {
    const { log, clock } = this.#deps
    log.error({ relay: this.name, reason, message }, 'a relay has stopped, until it is resumed')
    const stopped = { reason, message: message.slice(0, 500), at: clock.wallMicros() }
    try {
      await this.#write(({ holder: _, ...before }) => ({ ...before, isIdle: false, stopped }))
      return true
    } catch (error) {
      return error instanceof NotHeld
    }
  }
}

/** Undefined for what may pass. */
function stopOf(error: unknown): Stopped | undefined {
  if (error instanceof Stopped) return error
  if (error instanceof PlanError) return new Stopped('relay_refused', error.message)
  if (!(error instanceof StorageError)) return undefined
  const { code, message } = error
  if (code === 'history_replaced') return new Stopped('history_replaced', message)
  const isTooOld = code === 'resume_too_old' || code === 'snapshot_too_old'
  return isTooOld ? new Stopped('relay_too_old', message) : undefined
}

/** Whether a commit has rows of one of these tables. */
export function concerns(
  { rows }: Pick<FeedCommit, 'rows'>,
  tables: Pick<ReadonlySet<number>, 'has'>,
): boolean {
  return rows.some(({ key }) => tables.has(tableIdOf(key) ?? -1))
}
