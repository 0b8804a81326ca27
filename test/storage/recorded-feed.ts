// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { Timestamp } from '../../storage/cells/cell.ts'
import type {
  ChangeFeed,
  FeedCommit,
  FeedFollower,
} from '../../storage/transactions/feed/change-feed.ts'

/** Who follows a feed and keeps what it was told. */
export class RecordedFeed {
  readonly since: Timestamp
  readonly commits: FeedCommit[] = []
  readonly follower: FeedFollower
  error: unknown

  constructor(feed: ChangeFeed, since: Timestamp) {
    this.since = since
    this.follower = feed.follow(since, {
      commit: (commit) => this.commits.push(commit),
      failed: (error) => {
        this.error = error
      },
    })
  }

  /** The commits as texts such as `9: bob joe`. */
  get lines(): string[] {
    return this.commits.map(lineOf)
  }
}

/** Every commit after the position, page by page, as texts. */
export async function readFeed(
  feed: ChangeFeed,
  position: Timestamp,
  rowsMax = 1_000,
): Promise<FeedCommit[]> {
  const commits: FeedCommit[] = []
  for (;;) {
    const page = await feed.read(position, { rowsMax })
    commits.push(...page.commits)
    if (page.isCaughtUp) return commits
    // Otherwise it would be the same page for ever.
    assert.ok(page.position > position, `a page goes on from ${position}`)
    position = page.position
  }
}

/** `9: bob joe`, a deleted row with a minus; of rows whose keys are a 01 and a name. */
export function lineOf({ commitTs, rows }: FeedCommit): string {
  const names = rows.map(({ key, isDelete }) => {
    return (isDelete ? '-' : '') + Buffer.from(key.subarray(1)).toString()
  })
  return `${commitTs}: ${names.join(' ')}`
}
