// SPDX-License-Identifier: Apache-2.0
import { pino } from 'pino'
import { StandbyFolder } from '../storage/operations/operations.ts'
import { systemClock, systemRandomness } from '../storage/storage.ts'
import type { Config, FollowConfig } from './config.ts'
import { FollowToken } from './operations/replication/follow-token.ts'
import { FollowedPrimary } from './operations/replication/followed-primary.ts'
import { type FollowEnd, Follower, isOfStore, reasonOf } from './operations/replication/follower.ts'
import { pauseMs } from './operations/replication/pause.ts'
import { type Following, StandbyState } from './operations/replication/standby-state.ts'
import { createServer, type Dependencies, type Server } from './server.ts'

/** How often the log says how much of a copy has come. */
const PROGRESS_MS = 5_000
/** A copy that is of no use so soon is followed by a pause before the next one. */
const COPY_HOLDS_MS = 10 * 60_000
const COPY_PAUSE_MS = 5_000
/** How often the former primary is told of the new one, with longer and longer pauses: for about a minute. */
const SUPERSEDE_TRIES = 15

type Closing = Parameters<Server['close']>[0]
type Listening = Awaited<ReturnType<Server['listen']>>

/**
 * A server that follows another one until it is promoted: it copies the store, serves what it has, and opens itself
 * again where another copy, another history or a promotion asks for that. For its clients it is one server that is
 * sometimes away for a moment, always at the same address.
 */
export class StandbyServer implements Following {
  readonly state: StandbyState
  readonly #config: Config
  readonly #deps: Dependencies & Required<Pick<Dependencies, 'clock' | 'randomness' | 'log'>>
  readonly #folder: StandbyFolder
  readonly #primary: FollowedPrimary
  readonly #stopping = new AbortController()
  readonly #promoting = new AbortController()
  readonly #storeLost = Promise.withResolvers<unknown>()
  readonly #failed = Promise.withResolvers<unknown>()
  #server: Server | undefined
  #listening: Listening | undefined
  #running: Promise<void> = Promise.resolve()
  #closing: Promise<void> | undefined
  #copiedMs = Number.NEGATIVE_INFINITY
  #uselessCopies = 0

  private constructor(config: Config, follow: FollowConfig, deps: Dependencies) {
    const { clock = systemClock, randomness = systemRandomness } = deps
    this.#deps = { ...deps, clock, randomness, log: deps.log ?? pino({ level: 'silent' }) }
    this.#config = config
    this.#folder = new StandbyFolder(config.dataDirectory, follow.url)
    const token = follow.tokenFile === undefined ? undefined : new FollowToken(follow.tokenFile)
    this.#primary = new FollowedPrimary({
      url: follow.url,
      token: () => token?.text(),
      address: () => config.advertisedUrl ?? this.#listening?.url,
    })
    this.state = new StandbyState(follow.url, clock)
  }

  /**
   * Copies the store where there is none, for as long as that takes, and opens it. Rejects with UsageError, and with
   * StorageError where the folder cannot be used.
   */
  static async start(config: Config, follow: FollowConfig, deps: Dependencies = {}) {
    const standby = new StandbyServer(config, follow, deps)
    const folder = standby.#folder
    // That of a former primary may have what no other has, so nobody is shown it (S8).
    if (!folder.hasStore()) {
      await folder.locked(async () => {
        await standby.#receiveCopy(standby.#stopping.signal)
        await folder.place()
      })
    }
    await folder.removeCopy()
    await standby.#open()
    return standby
  }

  /** The server that listens now. */
  get current(): Server {
    if (this.#server === undefined) throw new TypeError('the server is being opened')
    return this.#server
  }

  /** As of a server. */
  get storeLost(): Promise<unknown> {
    return this.#storeLost.promise
  }

  /** Resolves to why it could not be opened again: it can only end. */
  get whenFailed(): Promise<unknown> {
    return this.#failed.promise
  }

  async listen(): Promise<Listening> {
    this.#listening = await this.current.listen()
    this.#running = this.#run().catch((error) => {
      if (!this.#stopping.signal.aborted) this.#failed.resolve(error)
    })
    return this.#listening
  }

  reloadFiles(): boolean {
    return this.#server?.reloadFiles() ?? false
  }

  endDrain(): boolean {
    return this.#server?.endDrain() ?? false
  }

  close(options?: Closing): Promise<void> {
    this.#closing ??= this.#close(options)
    return this.#closing
  }

  promote(): void {
    this.#promoting.abort(new Error('The server is promoted.'))
  }

  async #close(options?: Closing): Promise<void> {
    // Nothing is applied any more; what is being served meanwhile stays.
    this.#stopping.abort(new Error('The server is stopping.'))
    await this.#running
    this.state.phase = 'stopped'
    await this.#server?.close(options)
  }

  async #run(): Promise<void> {
    const ended = AbortSignal.any([this.#stopping.signal, this.#promoting.signal])
    try {
      for (;;) {
        const end = await this.#follow(ended)
        if (end === 'copy') await this.#receiveCopy(ended)
        await this.#openAgain(end)
      }
    } catch (error) {
      this.state.disconnected()
      if (!ended.aborted || error !== ended.reason) throw error
    }
    if (!this.#stopping.signal.aborted) await this.#becomePrimary()
  }

  async #follow(signal: AbortSignal): Promise<FollowEnd> {
    const { clock, randomness, log } = this.#deps
    const { storage } = this.current
    const parts = { primary: this.#primary, storage, state: this.state, clock, randomness, log }
    return await new Follower(parts).run(signal)
  }

  /** Into a file beside the store, which is served meanwhile. Tries until it is there. */
  async #receiveCopy(signal: AbortSignal): Promise<void> {
    const { clock, randomness, log } = this.#deps
    const { url: primary } = this.#primary
    this.state.phase = 'copying'
    await this.#pauseBetweenCopies(signal)
    for (let failures = 1; ; failures += 1) {
      try {
        await this.#folder.removeCopy()
        log.info({ primary }, 'copying the store of the primary')
        const bytes = await this.#primary.copyTo(this.#folder.copyFile, {
          accepts: (history) => this.#requireOwn(history),
          received: this.#progress(),
          signal,
        })
        this.state.copies += 1
        this.#copiedMs = clock.monotonicMs()
        log.info({ primary, bytes }, 'the store has been copied')
        return
      } catch (error) {
        signal.throwIfAborted()
        log.warn({ primary, reason: reasonOf(error) }, 'no copy was made; trying again')
        await clock.sleep(pauseMs(failures, randomness), signal)
      }
    }
  }

  async #pauseBetweenCopies(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    const isSoon = clock.monotonicMs() - this.#copiedMs < COPY_HOLDS_MS
    this.#uselessCopies = isSoon ? this.#uselessCopies + 1 : 0
    const pauseMs = this.#uselessCopies * COPY_PAUSE_MS
    if (pauseMs > 0) await clock.sleep(Math.min(COPY_HOLDS_MS, pauseMs), signal)
  }

  /** Nothing that only this standby has is replaced by the store of a server that has lost its own. */
  #requireOwn(history: string): void {
    const own = this.#server?.storage.history.name ?? this.#folder.replacedBy
    if (own === undefined || isOfStore(own.split('.')[0] ?? '', history)) return
    throw new Error(`it has the store ${history}, and this one follows ${own}`)
  }

  #progress(): (bytes: number, total: number) => void {
    const { clock, log } = this.#deps
    let saidMs = clock.monotonicMs()
    return (bytes, total) => {
      if (clock.monotonicMs() - saidMs < PROGRESS_MS) return
      saidMs = clock.monotonicMs()
      log.info({ bytes, total }, 'copying')
    }
  }

  async #open(): Promise<void> {
    const { onListening, ...deps } = this.#deps
    const first = this.#listening === undefined && onListening !== undefined ? { onListening } : {}
    const server = await createServer(this.#config, { ...deps, ...first, following: this })
    this.#server = server
    const { standby } = server.storage
    if (standby !== undefined) this.state.opened(standby)
    this.state.phase = 'following'
    this.#watchFiles(server)
  }

  /** At the same address, with the same clients, who come back. */
  async #openAgain(end: FollowEnd): Promise<void> {
    this.#deps.log.info({ reason: end }, 'the store is opened again')
    await this.current.close()
    if (end === 'copy') await this.#folder.locked(() => this.#folder.place())
    await this.#open()
    await this.#listenAgain()
  }

  async #becomePrimary(): Promise<void> {
    const { log } = this.#deps
    this.state.phase = 'stopped'
    this.#folder.promote()
    await this.#folder.removeCopy()
    await this.current.close()
    const { onListening: _, ...deps } = this.#deps
    const server = await createServer({ ...this.#config, follow: undefined }, deps)
    this.#server = server
    this.#watchFiles(server)
    const { url } = await this.#listenAgain()
    const { name } = server.storage.history
    log.info({ url, history: name }, 'promoted: this server takes writes now')
    this.#tellFormer(this.#config.advertisedUrl ?? url, name)
  }

  async #listenAgain(): Promise<Listening> {
    // A port that the system chose stays the same.
    const port = this.#listening?.port ?? this.#config.port
    return await this.current.listen(port)
  }

  /** In the background, as it may be down for good. */
  async #tellFormer(by: string, history: string): Promise<void> {
    const { clock, randomness, log } = this.#deps
    const { signal } = this.#stopping
    const { url: former } = this.#primary
    for (let tries = 1; tries <= SUPERSEDE_TRIES && !signal.aborted; tries += 1) {
      try {
        await this.#primary.supersede(by, history, signal)
        log.info({ former }, 'the former primary knows that it was replaced')
        return
      } catch (error) {
        const reason = reasonOf(error)
        if (tries === SUPERSEDE_TRIES) log.warn({ former, reason }, UNREACHED)
        await clock.sleep(pauseMs(tries, randomness), signal).catch(() => undefined)
      }
    }
  }

  #watchFiles(server: Server): void {
    server.storeLost.then((lost) => {
      if (this.#server === server) this.#storeLost.resolve(lost)
    })
  }
}

const UNREACHED =
  'the former primary was not reached and may come back as one: make sure that it does not'
