// SPDX-License-Identifier: Apache-2.0
import {
  CellStoreError,
  type ChangedRow,
  type FeedCommit,
  type Storage,
  StorageError,
} from '../../../storage/storage.ts'
import type { Gateway } from '../simulated/gateway.ts'
import { ProcessCrashed } from '../simulated/simulated-process.ts'
import type { ClientWorld } from './client.ts'

/** What one reader was told, from a position on and through all that happened to it. */
export type FeedLine = {
  /** What committed here or before is known from a snapshot. */
  readonly from: number
  readonly commits: FeedCommit[]
  readonly images: RowImage[]
  /** Everything up to here has been told. */
  position: number
}

/** A row as a snapshot beside the feed saw it: the image before a commit, or after it. */
export type RowImage = {
  readonly row: Uint8Array
  readonly asOf: number
  /** By column; of those that the commit wrote. */
  readonly values: ReadonlyMap<string, Uint8Array | undefined>
}

/**
 * A subscriber as a client of the server is one: it follows or reads pages, goes away, comes back to
 * another process with the position that it had, and restarts when that has become too old.
 */
export class FeedReader {
  readonly lines: FeedLine[] = []
  readonly #world: ClientWorld
  readonly #looks = new Set<Promise<void>>()
  #isOver = false

  constructor(world: ClientWorld) {
    this.#world = world
  }

  async run(): Promise<void> {
    const { scheduler, random, swarm } = this.#world
    while (!this.#isOver) {
      const isServed = this.#world.gateways.some((gateway) => gateway.isServing)
      if (isServed) await this.#attempt(() => this.#work())
      await scheduler.sleep(isServed ? random.fraction() * swarm.feed.awayMs * 2 : 100)
    }
    await Promise.all(this.#looks)
  }

  /** Ends what `run` does in its next pause. */
  stop(): void {
    this.#isOver = true
  }

  /** Reads everything that there is, without faults. */
  async catchUp(): Promise<void> {
    let isCaughtUp = false
    while (!isCaughtUp) {
      const { length } = this.lines
      await this.#attempt(async () => {
        isCaughtUp = this.lines.length > 0 && (await this.#readPages(Infinity))
        if (this.lines.length === 0) await this.#restart()
      })
      // A new line is read at once: collections that come every few milliseconds would make it too old again.
      if (this.lines.length === length) await this.#world.scheduler.sleep(10)
    }
  }

  async #work(): Promise<void> {
    const { random } = this.#world
    if (this.lines.length === 0 || random.fraction() < 0.05) await this.#restart()
    else if (random.fraction() < 0.3) await this.#readPages(1 + random.below(4))
    else await this.#follow()
  }

  async #restart(): Promise<void> {
    const { random } = this.#world
    const from = await this.#gateway().request(async (storage) => {
      if (random.fraction() < 0.3) return await storage.feed.resolved()
      const snapshot = await storage.begin({ readOnly: true })
      snapshot.rollback()
      return snapshot.startTs
    })
    this.lines.push({ from, commits: [], images: [], position: from })
  }

  /** Until enough, or everything, has been read; resolves to whether it was everything. */
  async #readPages(pagesMax: number): Promise<boolean> {
    const { random, counters } = this.#world
    const line = this.#line()
    const rowsMax = 1 + random.below(8)
    for (let pages = 0; pages < pagesMax; pages += 1) {
      const { position } = line
      const page = await this.#gateway().request((one) => one.feed.read(position, { rowsMax }))
      line.commits.push(...page.commits)
      line.position = page.position
      counters.count('commit read from the log', page.commits.length)
      if (page.isCaughtUp) return true
    }
    return false
  }

  async #follow(): Promise<void> {
    const { scheduler, random, counters, swarm } = this.#world
    const line = this.#line()
    const gateway = this.#gateway()
    const { process } = gateway
    const ended = Promise.withResolvers<unknown>()
    const follower = await gateway.request(async ({ feed }) => {
      const follower = feed.follow(line.position, {
        commit: (commit) => {
          if (process.isDead) return // Nothing reaches the client any more.
          line.commits.push(commit)
          line.position = commit.commitTs
          counters.count(follower.isLive ? 'commit told live' : 'commit told from the log')
          if (random.fraction() < 0.2) this.#lookLater(gateway, line, commit)
        },
        failed: ended.resolve,
      })
      return follower
    })
    const crashed = process.answered(new Promise<never>(() => {})).catch((error) => error)
    const away = scheduler.sleep(random.fraction() * swarm.feed.followMs * 2)
    const reason = await Promise.race([away, ended.promise, crashed])
    if (!process.isDead && random.fraction() < 0.5) {
      // As a frame that tells progress.
      line.position = Math.max(line.position, follower.position)
    }
    follower.stop()
    if (reason !== undefined) throw reason
  }

  #lookLater(gateway: Gateway, line: FeedLine, { commitTs, rows }: FeedCommit): void {
    const { random } = this.#world
    const changed = rows[random.below(rows.length)] as ChangedRow
    const look = this.#attempt(async () => {
      for (const asOf of [commitTs - 1, commitTs]) {
        line.images.push(await gateway.request((storage) => imageOf(storage, changed, asOf)))
      }
    }).finally(() => this.#looks.delete(look))
    this.#looks.add(look)
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    const { counters, violations } = this.#world
    try {
      await work()
    } catch (error) {
      if (error instanceof ProcessCrashed) counters.count('feed cut off by a crash')
      else if (error instanceof StorageError && error.code === 'resume_too_old') {
        counters.count('feed position too old')
        if ((error.fields.oldest as number) <= this.#line().position) {
          violations.add('feed', `${this.#line().position} is refused: ${error.message}`)
        }
        await this.#attempt(() => this.#restart())
      } else if (!isOfTheMoment(error)) violations.add('feed', String(error))
    }
  }

  #line(): FeedLine {
    return this.lines.at(-1) as FeedLine
  }

  #gateway(): Gateway {
    const { gateways, random } = this.#world
    const serving = gateways.filter((gateway) => gateway.isServing)
    const gateway = serving[random.below(serving.length)]
    if (gateway === undefined) throw new ProcessCrashed('every gateway')
    return gateway
  }
}

async function imageOf(storage: Storage, changed: ChangedRow, asOf: number): Promise<RowImage> {
  const { key: row, columns } = changed
  const transaction = await storage.begin({ asOf })
  const found = await transaction.getRow(row, columns)
  transaction.rollback()
  const values = new Map(columns.map((column) => [column, found?.columns.get(column)?.value]))
  return { row, asOf, values }
}

/** The store fails, a process is being stopped, a row stays locked, a snapshot has become too old. */
function isOfTheMoment(error: unknown): boolean {
  if (error instanceof CellStoreError) return true
  if (!(error instanceof StorageError)) return false
  return ['closed', 'locked', 'snapshot_too_old', 'transaction_closed'].includes(error.code)
}
