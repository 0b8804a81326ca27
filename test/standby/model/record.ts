// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { openSqliteCellStore } from '../../../storage/cells/sqlite/sqlite-cell-store.ts'
import { digestOf } from '../../../storage/operations/move/copied-rows.ts'
import type { Transaction } from '../../../storage/storage.ts'
import type { SeededRandomness } from '../../seeded-randomness.ts'
import type { Content, Member } from './member.ts'

/** What a commit wrote: of each row its value, or null. */
export type Writes = ReadonlyMap<string, string | null>

type Commit = { readonly commitTs: number; readonly writes: Writes; readonly history: string }

const CHECKED_COMMITS = 12
const SNAPSHOTS_MAX = 400

/** What clients of the primary were told, and what its snapshots were. */
export class Record {
  /** Acknowledged, in the order of the acknowledgments. */
  commits: Commit[] = []
  /** The newest version of a row that a read was shown: `timestamp value`. */
  shown: Array<{ readonly row: string; readonly commitTs: number; readonly text: string }> = []
  #snapshots = new Map<number, Content>()

  acknowledge(commit: Commit): void {
    this.commits.push(commit)
  }

  show(content: Content): void {
    for (const [row, text] of content) {
      const commitTs = Number.parseInt(text, 10)
      if (row !== 'tables') this.shown.push({ row, commitTs, text })
    }
    if (this.shown.length > 2_000) this.shown.splice(0, 1_000)
  }

  /** What the primary had at this timestamp. The same timestamp has the same content forever. */
  note(timestamp: number, content: Content): void {
    const before = this.#snapshots.get(timestamp)
    if (before !== undefined) assert.deepEqual(content, before, `AS OF ${timestamp} has changed`)
    this.#snapshots.set(timestamp, content)
    const [oldest] = this.#snapshots.keys()
    if (this.#snapshots.size > SNAPSHOTS_MAX) this.#snapshots.delete(oldest as number)
  }

  snapshotAt(timestamp: number): Content | undefined {
    return this.#snapshots.get(timestamp)
  }

  someTimestamp(random: SeededRandomness, max: number): number | undefined {
    const found = [...this.#snapshots.keys()].filter((timestamp) => timestamp <= max)
    return found[random.below(found.length)]
  }

  /** Everything above is lost. */
  cutAfter(timestamp: number): Commit[] {
    const lost = this.commits.filter(({ commitTs }) => commitTs > timestamp)
    this.commits = this.commits.filter(({ commitTs }) => commitTs <= timestamp)
    this.shown = this.shown.filter(({ commitTs }) => commitTs <= timestamp)
    for (const one of this.#snapshots.keys()) if (one > timestamp) this.#snapshots.delete(one)
    return lost
  }

  /** The newest acknowledged commits up to this timestamp are there, and what reads were shown. */
  async checkKept(member: Member, until: number, about: string): Promise<void> {
    const kept = this.commits.filter(({ commitTs }) => commitTs <= until)
    for (const { commitTs, writes } of kept.slice(-CHECKED_COMMITS)) {
      const content = await contentOrRefusal(member, commitTs)
      if (content === undefined) continue
      for (const [row, value] of writes) {
        const expected = value === null ? undefined : `${commitTs} ${value}`
        assert.equal(content.get(row), expected, `${about}: ${row} of the commit ${commitTs}`)
      }
    }
    const newest = this.shown.filter(({ commitTs }) => commitTs <= until).slice(-60)
    const contents = new Map<number, Content | undefined>()
    for (const { row, commitTs, text } of newest) {
      if (!contents.has(commitTs)) contents.set(commitTs, await contentOrRefusal(member, commitTs))
      const found = contents.get(commitTs)
      if (found !== undefined) assert.equal(found.get(row), text, `${about}: ${row} was shown`)
    }
  }
}

/** Undefined where it is too old to be read. */
export async function contentOrRefusal(member: Member, asOf: number): Promise<Content | undefined> {
  try {
    return await member.contentAt(asOf)
  } catch (error) {
    const { code } = error as { code?: string }
    assert.ok(code === 'snapshot_too_old', `AS OF ${asOf}: ${error}`)
    return undefined
  }
}

/** Undefined where the standby is further behind than versions are kept. */
export async function startOrRefusal({ storage }: Member): Promise<Transaction | undefined> {
  try {
    return await storage.begin({ readOnly: true })
  } catch (error) {
    assert.equal((error as { code?: string }).code, 'snapshot_too_old', String(error))
    return undefined
  }
}

/** Every cell of a store that nobody has open. */
export async function digestOfFolder(dataDirectory: string): Promise<unknown> {
  assert.ok(existsSync(dataDirectory))
  const store = await openSqliteCellStore({ dataDirectory })
  try {
    return await digestOf(store, undefined, () => undefined)
  } finally {
    await store.close()
  }
}
