// SPDX-License-Identifier: Apache-2.0
import { type Database, type ErrorCode, PercoliteError } from '../../client-sdk/client.ts'
import { countWithin } from './answer-bounds.ts'
import { exactJson } from './exact-json.ts'

/** Behind which moment the next changes come. */
export type Bookmark = {
  readonly since?: number | undefined
  readonly history?: string | undefined
  readonly view?: string | undefined
}

export type FeedBounds = {
  readonly changesMax: number
  readonly charactersMax: number
  /** How long a first change is waited for when all that was committed before has come. */
  readonly waitMs: number
}

type Commit = {
  readonly commitTimestamp: number
  readonly changes: readonly unknown[]
  /** It is the first one and has more than an answer holds. */
  readonly changesLeftOut?: string
}

export type Feed = {
  readonly commits: readonly Commit[]
  readonly bookmark: Bookmark
  readonly hasMore: boolean
}

export type FeedStatement = {
  readonly sql: string
  readonly params: unknown
  readonly from: Bookmark
}

/** Whatever has come until then is answered. */
const FEED_MS_MAX = 45_000

type Frame = Bookmark & {
  readonly type: string
  readonly timestamp?: number
  readonly commitTimestamp?: number
  readonly changes?: readonly unknown[]
  readonly last?: boolean
  readonly code?: ErrorCode
  readonly detail?: string
}

/**
 * Whole commits behind a bookmark, as many as the bounds let in; where there is none, the first that comes in time.
 * Rejects with PercoliteError.
 */
export async function feedOf(
  db: Database,
  statement: FeedStatement,
  bounds: FeedBounds,
  signal: AbortSignal,
): Promise<Feed> {
  const ending = new AbortController()
  const either = AbortSignal.any([signal, ending.signal])
  const reader = new FeedReader(statement.from, bounds, () => ending.abort())
  const last = setTimeout(() => ending.abort(), FEED_MS_MAX)
  try {
    const answer = await db.open('GET', pathOf(statement), undefined, { signal: either })
    for await (const line of linesOf(answer)) {
      reader.take(exactJson<Frame>(line))
      if (reader.isFull) break
    }
    signal.throwIfAborted()
  } catch (error) {
    if (!ending.signal.aborted || signal.aborted) throw error
  } finally {
    clearTimeout(last)
    reader.end()
    ending.abort()
  }
  return reader.feed
}

/** Rejects with what the answer is aborted for. */
async function* linesOf({ body }: Response): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

function pathOf({ sql, params, from }: FeedStatement): string {
  const { since, view } = from
  return `/v1/changes?${new URLSearchParams({
    sql,
    mode: 'rows',
    ...(params !== undefined && { params: JSON.stringify(params) }),
    ...(since !== undefined && { since: String(since) }),
    ...(since !== undefined && view !== undefined && { view }),
  })}`
}

/** Takes the lines of `GET /v1/changes`. */
class FeedReader {
  readonly #from: Bookmark
  readonly #bounds: FeedBounds
  readonly #end: () => void
  readonly #commits: Commit[] = []
  #bookmark: Bookmark
  #part: unknown[] = []
  #count = 0
  #characters = 0
  #waiting: NodeJS.Timeout | undefined
  isFull = false

  constructor(from: Bookmark, bounds: FeedBounds, end: () => void) {
    this.#from = from
    this.#bounds = bounds
    this.#end = end
    this.#bookmark = from
  }

  get feed(): Feed {
    return { commits: this.#commits, bookmark: this.#bookmark, hasMore: this.isFull }
  }

  end(): void {
    clearTimeout(this.#waiting)
  }

  /** Throws PercoliteError. */
  take(frame: Frame): void {
    switch (frame.type) {
      case 'subscribed':
        this.#begin(frame)
        break
      case 'change':
        this.#change(frame)
        break
      case 'progress':
        this.#bookmark = { ...this.#bookmark, since: frame.timestamp }
        this.#caughtUp()
        break
      case 'error': {
        const { type: _, code = 'internal', detail = '', ...fields } = frame
        throw new PercoliteError({ code, message: detail, fields })
      }
    }
  }

  #begin({ timestamp, history, view }: Frame): void {
    const former = this.#from.history
    if (former !== undefined && storeOf(former) !== storeOf(history)) {
      const message = 'The bookmark is of another store, or of what a restored copy has lost.'
      throw new PercoliteError({ code: 'history_replaced', message, fields: { history } })
    }
    this.#bookmark = { since: timestamp, history, view }
    if (this.#from.since === undefined) this.#caughtUp()
  }

  /** What has come is answered; else a first change has its time. */
  #caughtUp(): void {
    if (this.#commits.length > 0) this.#end()
    else this.#waiting ??= setTimeout(this.#end, this.#bounds.waitMs)
  }

  #change({ commitTimestamp = 0, changes = [], last }: Frame): void {
    this.#part.push(...changes)
    const count = this.#count + this.#part.length
    const characters = this.#characters + JSON.stringify(this.#part).length
    const { changesMax, charactersMax } = this.#bounds
    if (count > changesMax || characters > charactersMax) {
      this.isFull = true
      if (this.#commits.length === 0) this.#keepFirstOf(commitTimestamp)
      return
    }
    if (!last) return
    this.#commits.push({ commitTimestamp, changes: this.#part })
    this.#bookmark = { ...this.#bookmark, since: commitTimestamp }
    this.#count = count
    this.#characters = characters
    this.#part = []
    // It was waited for.
    if (this.#waiting !== undefined) this.#end()
  }

  /** One commit alone is too long: it is passed, and told so. */
  #keepFirstOf(commitTimestamp: number): void {
    const { changesMax, charactersMax } = this.#bounds
    const some = this.#part.slice(0, changesMax)
    const shown = some.slice(0, countWithin(some, charactersMax))
    const before = this.#bookmark.since
    const changesLeftOut = `This commit has more changes: call difference from ${before} to ${commitTimestamp}.`
    this.#commits.push({ commitTimestamp, changes: shown, changesLeftOut })
    this.#bookmark = { ...this.#bookmark, since: commitTimestamp }
  }
}

/** Without the epoch, which each start of a server begins. */
function storeOf(history: string | undefined): string | undefined {
  return history?.split('.')[0]
}
