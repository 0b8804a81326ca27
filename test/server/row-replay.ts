// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Frame } from './socket-client.ts'
import type { AnswerBody, TestServer } from './test-server.ts'

const FAMILIES = ['data', 'lock', 'write', 'rollback', 'guard', 'notify']

/**
 * Rows as a client of `inspect` knows them: the first cells, changed by each step. A record that is set twice, and a
 * lock that is erased without having been there, is a step that came twice or one that is missing.
 */
export class RowReplay {
  /** What the first cells were. */
  readonly begin: string
  count = 0
  readonly #cells = new Set<string>()

  constructor(rows: readonly AnswerBody[]) {
    for (const name of namesOf(rows)) this.#cells.add(name)
    this.begin = this.#shown()
  }

  step({ type, key, step, set, erased }: Frame): void {
    assert.equal(type, 'step')
    this.count += 1
    for (const { family, column, timestamp } of set) {
      const name = nameOf(key, family, { column, timestamp })
      const isRecord = family !== 'data' && step !== 'heartbeat'
      if (isRecord) assert.ok(!this.#cells.has(name), `${step} sets ${name} again`)
      this.#cells.add(name)
    }
    for (const { family, column, timestamp, from = 0, until = Infinity } of erased) {
      if (timestamp !== undefined) {
        const name = nameOf(key, family, { column, timestamp })
        const wasThere = this.#cells.delete(name)
        // A transaction that rolls itself back may not have got as far as the lock of its primary.
        const isOwn = set.some((cell: AnswerBody) => cell.family === 'rollback')
        if (family === 'lock' && !isOwn) {
          assert.ok(wasThere, `${step} erases ${name}, which was not there`)
        }
        if (family === 'lock' && step === 'rollBack') this.#cells.delete(inlineOf(name))
        continue
      }
      for (const name of this.#cells) {
        const at = Number(name.split(' ').at(-1))
        const isIn = at >= from && at < until
        if (isIn && name === nameOf(key, family, { column, timestamp: at }))
          this.#cells.delete(name)
      }
    }
  }

  async isEqualTo(server: TestServer): Promise<void> {
    const { body } = await server.get('/v1/tables/account/cells?key=bob&key=joe')
    assert.deepEqual([...this.#cells].toSorted(), namesOf(body.rows).toSorted())
  }

  /** Takes frames until nothing more comes; then it has to be as the server shows it. */
  async isReached(server: TestServer, next: () => Promise<Frame>): Promise<void> {
    for (;;) {
      const frame = await Promise.race([next(), sleep(300)])
      if (frame === undefined) break
      this.step(frame)
    }
    await this.isEqualTo(server)
  }

  #shown(): string {
    return [...this.#cells].toSorted().join('\n')
  }
}

function namesOf(rows: readonly AnswerBody[]): string[] {
  return rows.flatMap((row) =>
    FAMILIES.flatMap((family) =>
      row[family].map((cell: AnswerBody) => nameOf(row.key, family, cell)),
    ),
  )
}

function nameOf(
  key: unknown,
  family: string,
  { column, timestamp }: { readonly column: string; readonly timestamp: number },
): string {
  return `${key} ${family} ${column} ${timestamp}`
}

/** A short value goes with its lock. */
function inlineOf(lock: string): string {
  return lock.replace(' lock ', ' data ')
}
