// SPDX-License-Identifier: Apache-2.0
import type { Logger } from 'pino'
import type { Parser } from '../../../parser/parser.ts'
import type { ParseRule, RelaySetting } from '../../../planner/planner.ts'
import {
  BackgroundLoop,
  type Clock,
  type FeedFollower,
  type Randomness,
  type Storage,
} from '../../../storage/storage.ts'
import {
  type RelayRows,
  readRelay,
  readRelays,
  writeRelayProgress,
} from '../../../storage/tables/access/access.ts'
import type { Access } from '../../guard/access/access.ts'
import { inTransaction } from '../../snapshot.ts'
import type { RelayAddresses } from './relay-addresses.ts'
import { secretText } from './relay-message.ts'
import { RelayTables } from './relay-rows.ts'
import { concerns, RelaySender } from './relay-sender.ts'
import type { Outcome } from './retry.ts'
import { Wakes } from './wakes.ts'

export type RelaysDependencies = {
  readonly storage: Storage
  readonly clock: Clock
  readonly randomness: Randomness
  readonly log: Logger
  readonly access: Pick<Access, 'lookIfDue' | 'viewOfRole' | 'whenChanged'>
  readonly addresses: RelayAddresses
  readonly parser: Pick<Parser, 'parseScript'>
  readonly parseRule: ParseRule
}

/** How often a gateway looks for relays that another one has made, or sends no more. */
const LOOK_MS = { some: 2_000, none: 10_000 }
const GATEWAYS_MAX = 20_000

/** What this process has sent. */
export type RelayCounts = { taken: number; failed: number }

/**
 * Has each relay sent by one process: the one that its row names, as long as that lives; see `Liveness`. A process of
 * the store's only owner takes all that the operator lets it send.
 */
export class Relays {
  readonly #deps: RelaysDependencies
  readonly #tables: RelayTables
  readonly #wakes: Wakes
  readonly #loop: BackgroundLoop
  readonly #senders = new Map<string, RelaySender>()
  readonly #counts = new Map<string, RelayCounts>()
  readonly #refused = new Set<string>()
  #relays: readonly RelayRows[] = []
  /** Of all relays. */
  #tableIds: ReadonlySet<number> = new Set()
  #follower: FeedFollower | undefined

  constructor(deps: RelaysDependencies) {
    this.#deps = deps
    this.#tables = new RelayTables(deps)
    this.#wakes = new Wakes(deps.clock)
    this.#loop = new BackgroundLoop(deps, {
      pass: () => this.#look(),
      failureMessage: 'looking for relays was interrupted',
    })
  }

  start(): void {
    this.#deps.access.whenChanged(() => this.#loop.wake())
    this.#loop.start()
  }

  /** Takes nothing new, and lets other processes go on. */
  async stop(): Promise<void> {
    await this.#loop.stop()
    this.#follower?.stop()
    await Promise.all([...this.#senders.values()].map((sender) => sender.stop({ release: true })))
  }

  /** By the names of relays that this process has sent. */
  get counts(): ReadonlyMap<string, RelayCounts> {
    return this.#counts
  }

  async #look(): Promise<number | undefined> {
    const { storage } = this.#deps
    this.#relays = await inTransaction(storage, { readOnly: true }, readRelays)
    this.#tableIds = new Set(this.#relays.flatMap(({ relay }) => relay.tables))
    const known = new Map(this.#relays.map((found) => [found.relay.name, found]))
    for (const [name, sender] of this.#senders) {
      if (isOf(sender, known.get(name))) continue
      await sender.stop({ release: false })
      this.#senders.delete(name)
    }
    const living = await this.#living()
    for (const found of known.values()) await this.#sendIfFree(found, living)
    await this.#follow()
    if (!storage.isShared) return undefined
    return this.#relays.length > 0 ? LOOK_MS.some : LOOK_MS.none
  }

  /** Undefined where there is no other process. */
  async #living(): Promise<ReadonlySet<string> | undefined> {
    const { storage } = this.#deps
    if (!storage.isShared || this.#relays.length === 0) return undefined
    const gateways = await storage.gateways.living(GATEWAYS_MAX)
    return new Set(gateways.map(({ incarnation }) => incarnation))
  }

  async #sendIfFree(found: RelayRows, living: ReadonlySet<string> | undefined): Promise<void> {
    const { relay, progress } = found
    const { name } = relay
    if (this.#senders.has(name) || progress.isPaused || progress.stopped !== undefined) return
    if (!this.#isAllowed(found)) return
    const { incarnation } = this.#deps.storage.gateways
    const isFree = progress.holder === undefined || !(living?.has(progress.holder) ?? false)
    if (progress.holder !== incarnation && !isFree) return
    const taken = await this.#take(found, incarnation)
    if (taken === undefined) return
    const tried = (relayName: string, outcome: Outcome) => this.#count(relayName, outcome)
    const deps = { ...this.#deps, tables: this.#tables, wakes: this.#wakes, tried }
    const sender = new RelaySender(taken, incarnation, deps)
    this.#senders.set(name, sender)
    sender.start(() => {
      this.#senders.delete(name)
      this.#loop.wake()
    })
    this.#deps.log.info({ relay: name }, 'this server sends a relay')
  }

  /** Undefined where another process was faster, or a statement has changed it: it is looked at again. */
  async #take({ relay, progress }: RelayRows, holder: string): Promise<RelayRows | undefined> {
    return await inTransaction(this.#deps.storage, {}, async (transaction) => {
      const found = await readRelay(transaction, relay.name)
      const isSame =
        found?.progress.epoch === progress.epoch &&
        found.progress.holder === progress.holder &&
        found.relay.id === relay.id
      if (found === undefined || !isSame) return undefined
      const taken = { ...found, progress: { ...found.progress, holder } }
      writeRelayProgress(transaction, found.progress, taken.progress)
      await transaction.commit()
      return taken
    })
  }

  /**
   * An operator may have changed the flag since it was made. Where others may send it, they do; the only owner takes
   * it, and fails with the reason, which is then seen.
   */
  #isAllowed({ relay }: RelayRows): boolean {
    const { addresses, storage } = this.#deps
    const refusal = addresses.refusalOf(relay.url)
    if (refusal === undefined || !storage.isShared) return true
    if (!this.#refused.has(relay.id)) {
      this.#refused.add(relay.id)
      this.#deps.log.warn({ relay: relay.name, reason: refusal }, 'a relay is not sent')
    }
    return false
  }

  /** One follower wakes all senders that have sent everything. */
  async #follow(): Promise<void> {
    const { storage, log } = this.#deps
    if (this.#senders.size === 0) {
      this.#follower?.stop()
      this.#follower = undefined
    } else if (this.#follower === undefined) {
      const position = await storage.feed.resolved()
      this.#follower = storage.feed.follow(position, {
        commit: (commit) => {
          if (concerns(commit, this.#tableIds)) this.#wakes.wake()
        },
        failed: (error) => {
          log.warn({ error: String(error) }, 'following commits for relays was interrupted')
          this.#follower = undefined
          this.#loop.wake()
        },
      })
      // What was committed before it began wakes nobody.
      this.#wakes.wake()
    }
  }

  #count(relay: string, { kind }: Outcome): void {
    const counts = this.#counts.get(relay) ?? { taken: 0, failed: 0 }
    if (kind === 'taken') counts.taken += 1
    else counts.failed += 1
    this.#counts.set(relay, counts)
  }
}

/** Whether it still sends what the store has. */
function isOf(sender: RelaySender, found: RelayRows | undefined): boolean {
  if (found === undefined) return false
  const { relay, progress } = found
  return relay.id === sender.relayId && progress.epoch === sender.epoch
}

/** What statements about relays ask of this server. */
export function relaySettingOf(deps: {
  readonly storage: Pick<Storage, 'history'>
  readonly randomness: Randomness
  readonly access: Pick<Access, 'viewOfRole'>
  readonly addresses: RelayAddresses
}): RelaySetting {
  const { storage, randomness, access, addresses } = deps
  return {
    history: storage.history.name,
    refusalOf: (url) => addresses.refusalOf(url),
    newId: () => Buffer.from(randomness.bytes(8)).toString('hex'),
    newSecret: () => secretText(randomness.bytes(32)),
    viewOf: (role, catalog) => access.viewOfRole(role, catalog),
  }
}
