// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FeedCommit } from '../../../storage/transactions/feed/change-feed.ts'
import type { SeededRandomness } from '../../seeded-randomness.ts'
import { Clients } from './clients.ts'
import { Link, turns } from './link.ts'
import { Member, REFUSED_ROW, refuseRow } from './member.ts'
import { contentOrRefusal, digestOfFolder, Record, startOrRefusal } from './record.ts'

/** A copy starts a process, and a busy machine may take long for that. */
const SETTLED_MS_MAX = 120_000
export type Options = {
  readonly mode: 'none' | 'required'
  readonly redoLog: 'never' | 'always'
}

/** How often something happened, so that a run in which nothing did is no proof. */
export type Happened = { [what: string]: number }

/**
 * A primary, its standby and the network between them, on files. A crash is a copy of the files at that moment, which
 * is opened; what the old process does afterwards nobody sees. Everything is checked as it happens.
 */
export class StandbyWorld {
  readonly happened: Happened = {}
  readonly #folder: string
  readonly #random: SeededRandomness
  readonly #options: Options
  readonly #record = new Record()
  readonly #clients: Clients
  #primary: Member
  #standby: Member | undefined
  #link: Link | undefined
  #isServing = false
  #folders = 0
  /** Up to where the standby of this process has shown what it has. */
  #shown = 0
  /** The folder of a former primary that is to follow its successor, which it has not heard of. */
  #former: string | undefined
  #feed: { readonly from: number; readonly commits: FeedCommit[] } | undefined
  readonly #released: Promise<void>[] = []

  private constructor(folder: string, random: SeededRandomness, options: Options, first: Member) {
    this.#folder = folder
    this.#random = random
    this.#options = options
    this.#primary = first
    const world = this
    this.#clients = new Clients({
      ...{ random, record: this.#record, count: (what) => this.#count(what) },
      get primary() {
        return world.#primary
      },
      get isServing() {
        return world.#isServing
      },
    })
  }

  static async open(folder: string, random: SeededRandomness, options: Options) {
    const first = await Member.asPrimary(join(folder, 'primary'), options.redoLog)
    const world = new StandbyWorld(folder, random, options, first)
    await world.#serve()
    return world
  }

  async step(): Promise<void> {
    const dice = this.#random.below(1_000)
    if (dice < 260) this.#clients.commitMany(1 + this.#random.below(5))
    else if (dice < 420) this.#link?.ask()
    else if (dice < 660) await this.#link?.deliver({ waits: this.#random.below(3) > 0 })
    else if (dice < 760) this.#clients.readAtPrimary()
    else if (dice < 900) await this.#checkStandby()
    else if (dice < 915) await this.#readOldAtStandby()
    else if (dice < 930) await this.#checkFeed()
    else if (dice < 945) this.#clients.collectGarbage()
    else if (dice < 955) this.#clients.define()
    else if (dice < 965) await this.#failGroup()
    else if (dice < 975) await this.#cutConnection()
    else if (dice < 983) await this.#crashStandby()
    else if (dice < 990) await this.#crashPrimary()
    else if (dice < 995) await this.#promote()
    else await this.#catchUp()
    if (this.#random.below(2) === 0) await turns(this.#random.below(4))
    if (this.#link?.isLost === true) await this.#copyAgain()
  }

  /** All that is to be so when nothing is on its way any more. */
  async end(): Promise<void> {
    await this.#catchUp()
    await this.#checkFeed()
    await this.#promote()
    await this.#catchUp()
    this.#link?.end()
    await this.#standby?.release()
    await this.#primary.release()
    await Promise.all(this.#released)
  }

  /** Some commits of one group, of which one cannot be written. */
  async #failGroup(): Promise<void> {
    if (!this.#isServing || this.#options.redoLog === 'always') return
    await this.#settled(this.#primary)
    refuseRow(this.#primary.folder, true)
    const many = this.#random.below(4)
    this.#clients.commitMany(many)
    this.#clients.commit([REFUSED_ROW])
    this.#clients.commitMany(this.#random.below(4))
    await this.#settled(this.#primary)
    refuseRow(this.#primary.folder, false)
  }

  // What happens to them.

  async #cutConnection(): Promise<void> {
    if (this.#standby === undefined) return
    this.#count('cuts')
    this.#connect()
  }

  #connect(): void {
    this.#link?.end()
    this.#link = this.#standby && new Link(this.#primary, this.#standby, this.#random)
  }

  async #crashStandby(): Promise<void> {
    const member = this.#standby
    if (member === undefined) return
    this.#count('crashes of the standby')
    const hasHeard = this.#hasHeard()
    const folder = this.#kill(member)
    if (!hasHeard) this.#former = folder
    await this.#follow(folder)
  }

  async #crashPrimary(): Promise<void> {
    this.#count('crashes of the primary')
    this.#isServing = false
    this.#link?.end()
    const folder = this.#kill(this.#primary)
    this.#primary = await Member.asPrimary(folder, this.#options.redoLog)
    // The standby has at most what the files of the primary have: groups are sent when they are durable.
    await this.#serve()
  }

  /** The standby as it is now becomes the primary, and the old one, if it can, its standby. */
  async #promote(): Promise<void> {
    const member = this.#standby
    // Nobody promotes what has never followed.
    if (member === undefined || !this.#hasHeard()) return
    this.#count('promotions')
    this.#isServing = false
    const { visible } = member.standby
    this.#link?.end()
    const [next, old] = [this.#kill(member), this.#kill(this.#primary)]
    if (this.#random.below(2) === 0) mkdirSync(join(next, 'groups'), { recursive: true })
    this.#standby = undefined
    this.#primary = await Member.asPrimary(next, this.#options.redoLog)
    await this.#checkPromoted(visible)
    await this.#serve(old)
  }

  async #checkPromoted(visible: number): Promise<void> {
    const { history } = this.#primary.storage
    const isRequired = this.#options.mode === 'required'
    await this.#record.checkKept(this.#primary, isRequired ? Infinity : visible, 'promoted')
    const lost = isRequired ? [] : this.#record.cutAfter(visible)
    // No timestamp above this one was known to the store that is promoted.
    const mark = Number.parseInt(history.name.split('.')[1]?.slice(0, 14) ?? '', 16) - 1
    assert.ok(mark >= visible, `the new epoch begins at ${mark}, and ${visible} was shown`)
    for (const { commitTs, history: name } of this.#record.commits.slice(-20)) {
      history.require(commitTs, name)
    }
    for (const { commitTs, history: name } of lost.filter((one) => one.commitTs > mark)) {
      this.#count('bookmarks of what is lost')
      assert.throws(() => history.require(commitTs, name), { code: 'history_replaced' })
    }
  }

  /** Makes a standby, if there is none that goes on, and serves clients as soon as is allowed. */
  async #serve(old?: string): Promise<void> {
    const member = this.#primary
    await member.primary.begin()
    const { copied } = await member.primary.demand(this.#options.mode)
    if (old !== undefined) {
      this.#former = old
      await this.#follow(old)
    } else if (this.#standby === undefined) await this.#copyAgain()
    else this.#connect()
    let isCopied = false
    void copied.then(() => {
      isCopied = true
    })
    await turns(1)
    await this.#until(() => isCopied, 'a second copy of what was found')
    this.#isServing = true
  }

  async #follow(folder: string): Promise<void> {
    this.#standby = await Member.asStandby(folder)
    this.#shown = 0
    this.#followFeed()
    this.#connect()
  }

  /** What follows is not kept, or the standby has what this primary lacks. */
  async #copyAgain(): Promise<void> {
    const former = this.#standby
    if (former !== undefined) this.#count('copied again')
    const folder = this.#newFolder()
    mkdirSync(folder, { mode: 0o700 })
    const signal = AbortSignal.timeout(SETTLED_MS_MAX)
    await this.#primary.primary.copyInto(join(folder, 'cells.db'), signal)
    refuseRow(folder, false)
    if (former !== undefined) {
      this.#link?.end()
      this.#release(former)
    }
    await this.#follow(folder)
  }

  // What has to be so.

  /** What the standby shows is what its primary had at that timestamp, and no read goes back. */
  async #checkStandby(): Promise<void> {
    const member = this.#standby
    // A former primary shows its own past until it has heard of the new one.
    if (member === undefined || !this.#hasHeard()) return
    const { visible } = member.standby
    assert.ok(visible >= this.#shown, `a read went back from ${this.#shown} to ${visible}`)
    this.#shown = visible
    // Twice: what the first has put into memory serves the second.
    for (const _ of [1, 2]) {
      const transaction = await startOrRefusal(member)
      if (transaction === undefined) return
      const startTs: number = transaction.startTs
      transaction.rollback()
      assert.ok(startTs >= this.#shown, `a read went back from ${this.#shown} to ${startTs}`)
      this.#shown = startTs
      const content = await contentOrRefusal(member, startTs)
      if (content !== undefined) await this.#compare(content, startTs)
    }
  }

  async #compare(content: ReadonlyMap<string, string>, timestamp: number): Promise<void> {
    const own = this.#primary
    // The primary itself shows what nobody has a second copy of only when the network lets it.
    const found = await this.#pumped(contentOrRefusal(own, timestamp))
    const expected = found ?? this.#record.snapshotAt(timestamp)
    if (expected === undefined) return
    this.#count('snapshots')
    this.#record.note(timestamp, expected)
    assert.deepEqual(content, expected, `the standby AS OF ${timestamp}`)
  }

  /** A snapshot of the past is what it was, or is refused. */
  async #readOldAtStandby(): Promise<void> {
    const member = this.#standby
    if (member === undefined || !this.#hasHeard()) return
    const timestamp = this.#record.someTimestamp(this.#random, member.standby.visible)
    if (timestamp === undefined) return
    const content = await contentOrRefusal(member, timestamp)
    if (content === undefined) this.#count('snapshots that were too old')
    else assert.deepEqual(content, this.#record.snapshotAt(timestamp), `AS OF ${timestamp}`)
  }

  #followFeed(): void {
    const member = this.#standby as Member
    const commits: FeedCommit[] = []
    const from = member.standby.visible
    const failed = (error: unknown) => {
      if (this.#feed?.commits === commits) this.#feed = undefined
      if (!member.isAlive) return
      const { code } = error as { code?: string }
      assert.equal(code, 'resume_too_old', `the feed: ${error}`)
    }
    member.storage.feed.follow(from, { commit: (one) => commits.push(one), failed })
    this.#feed = { from, commits }
  }

  /** The standby has sent the commits that its primary has, whole, in their order, and none twice. */
  async #checkFeed(): Promise<void> {
    if (this.#standby === undefined || this.#feed === undefined || !this.#hasHeard()) return
    const { visible } = this.#standby.standby
    const { from, commits } = this.#feed
    const own: FeedCommit[] = []
    let isTooOld = false
    const failed = () => {
      isTooOld = true
    }
    const feed = this.#primary.storage.feed
    const follower = feed.follow(from, { commit: (one) => own.push(one), failed })
    const upTo = (list: readonly FeedCommit[]) =>
      list.filter(({ commitTs }) => commitTs <= visible).map((one) => JSON.stringify(one))
    const isSame = () => isTooOld || upTo(own).join('\n') === upTo(commits).join('\n')
    await this.#until(isSame, `the feed of the standby from ${from} to ${visible}`).catch(
      (error) => {
        assert.deepEqual(upTo(commits), upTo(own))
        throw error
      },
    )
    follower.stop()
    if (!isTooOld) this.#count('feeds')
  }

  /** Until the standby has all: then every cell of both is the same. */
  async #catchUp(): Promise<void> {
    await this.#settled(this.#primary)
    await this.#until(() => this.#hasAll(), 'the standby has every group')
    await this.#link?.settled()
    if (!this.#hasAll()) return
    const standby = this.#standby as Member
    const folders = [this.#newFolder(), this.#newFolder()] as const
    cpSync(this.#primary.folder, folders[0], { recursive: true })
    cpSync(standby.folder, folders[1], { recursive: true })
    const digests = await Promise.all(folders.map(digestOfFolder))
    assert.deepEqual(digests[1], digests[0], 'the standby has caught up')
    this.#count('digests')
    await this.#checkStandby()
  }

  #hasHeard(): boolean {
    if (this.#link?.hasApplied === true) this.#former = undefined
    return this.#former === undefined || this.#standby?.folder !== this.#former
  }

  #hasAll(): boolean {
    const standby = this.#standby?.standby
    const { position } = this.#primary.primary
    return position !== undefined && standby?.position?.number === position.number
  }

  /** Until nothing that a client of the member began is under way. */
  async #settled(member: Member): Promise<void> {
    await this.#until(() => member.pending.size === 0, 'all that clients began')
  }

  async #pumped<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    void work
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => {
        isDone = true
      })
    await turns(2)
    await this.#until(() => isDone, 'a read')
    return await work
  }

  /** Lets the network do its work until then. */
  async #until(isReached: () => boolean, what: string): Promise<void> {
    let untilMs = performance.now() + SETTLED_MS_MAX
    while (!isReached()) {
      assert.ok(performance.now() < untilMs, `${what} was not reached; ${this.#state()}`)
      this.#link?.ask({ isReliable: true })
      await this.#link?.deliver({ isReliable: true })
      await new Promise((resolve) => setTimeout(resolve, 1))
      if (this.#link?.isLost !== true) continue
      await this.#copyAgain()
      // A copy starts a process, and may take long on a busy machine.
      untilMs = performance.now() + SETTLED_MS_MAX
    }
  }

  #state(): string {
    const { position, secondCopy } = this.#primary.primary
    const { copied, isConnected } = secondCopy
    const has = this.#standby?.standby.position
    const under = this.#primary.pending.size
    return JSON.stringify({ position, has, copied, isConnected, under, link: this.#link?.state })
  }

  #kill(member: Member): string {
    const folder = this.#newFolder()
    member.killInto(folder)
    this.#release(member)
    return folder
  }

  #release(member: Member): void {
    this.#released.push(member.release())
  }

  #newFolder(): string {
    this.#folders += 1
    return join(this.#folder, `store-${this.#folders}`)
  }

  #count(what: string): void {
    this.happened[what] = (this.happened[what] ?? 0) + 1
  }
}
