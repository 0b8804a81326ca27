// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { SeededRandomness } from '../../seeded-randomness.ts'
import { SqlSession } from '../../sql-session.ts'
import { keyOf, type Member, REFUSED_ROW, rowOf } from './member.ts'
import type { Record } from './record.ts'

const ROWS = 30
/** What a commit may end with while stores are refused, killed and cut off. */
const COMMIT_ENDS = new Set([
  'write_conflict',
  // Versions are kept for milliseconds, and a busy machine takes longer for a transaction.
  'snapshot_too_old',
  'no_second_copy',
  'commit_outcome_unknown',
  'closed',
])

/** Where clients are, as it is now. */
type Surroundings = {
  readonly random: SeededRandomness
  readonly record: Record
  readonly primary: Member
  /** Clients are served: with a second copy required, once there is one. */
  readonly isServing: boolean
  count(what: string): void
}

/** What clients of the primary do, and what they may be answered. */
export class Clients {
  readonly #own: Surroundings
  #values = 0
  #tables = 0

  constructor(own: Surroundings) {
    this.#own = own
  }

  commitMany(count: number): void {
    if (!this.#own.isServing) return
    for (let left = count; left > 0; left -= 1) this.commit()
  }

  commit(extra: readonly Buffer[] = []): void {
    const member = this.#own.primary
    const writes = new Map<string, string | null>()
    const rows = [...extra]
    for (let left = 1 + this.#own.random.below(4); left > 0; left -= 1) {
      rows.push(rowOf(this.#own.random.below(ROWS)))
    }
    for (const row of rows) {
      this.#values += 1
      writes.set(keyOf(row), this.#own.random.below(5) === 0 ? null : `v${this.#values}`)
    }
    for (const row of extra) writes.set(keyOf(row), `v${this.#values}`)
    member.inBackground(this.#committed(member, writes, rows))
  }

  async #committed(member: Member, writes: Map<string, string | null>, rows: Buffer[]) {
    try {
      const transaction = await member.storage.begin()
      for (const row of rows) {
        const value = writes.get(keyOf(row)) ?? null
        if (value === null) transaction.delete(row, '0')
        else transaction.put(row, '0', Buffer.from(value))
      }
      const { commitTs } = await transaction.commit()
      if (!member.isAlive || commitTs === null) return
      this.#own.count('commits')
      this.#own.record.acknowledge({ commitTs, writes, history: member.storage.history.name })
    } catch (error) {
      if (!member.isAlive) return
      const { code, cause } = error as { code?: string; cause?: unknown }
      const isRefused = rows.includes(REFUSED_ROW) || /refused for a test/.test(String(cause))
      if (isRefused) this.#own.count('failed groups')
      else assert.ok(COMMIT_ENDS.has(code ?? ''), `a commit: ${code} ${error} ${String(cause)}`)
    }
  }

  readAtPrimary(): void {
    const member = this.#own.primary
    if (!this.#own.isServing) return
    member.inBackground(
      member.contentAt().then(
        (content) => member.isAlive && this.#own.record.show(content),
        (error) => {
          const isTooOld = error.code === 'snapshot_too_old'
          assert.ok(!member.isAlive || isTooOld, `a read: ${error}`)
        },
      ),
    )
  }

  define(): void {
    const member = this.#own.primary
    if (!this.#own.isServing) return
    this.#tables += 1
    const name = `t${this.#tables}`
    const session = SqlSession.over(member.storage)
    const text = `CREATE TABLE ${name} (id INTEGER PRIMARY KEY)`
    const isExpected = (error: { code?: string }) => COMMIT_ENDS.has(error.code ?? '')
    member.inBackground(
      session.run(text).then(
        () => this.#own.count('definitions'),
        (error) => assert.ok(!member.isAlive || isExpected(error), `${text}: ${error}`),
      ),
    )
  }

  collectGarbage(): void {
    const member = this.#own.primary
    if (!this.#own.isServing) return
    const collected = member.storage.collectGarbage()
    member.inBackground(
      collected.then(
        () => this.#own.count('collections'),
        (error) => assert.ok(!member.isAlive || COMMIT_ENDS.has(error.code), String(error)),
      ),
    )
  }
}
