// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { connect, type Database, PercoliteError } from '../../client-sdk/client.ts'
import type { SeededRandomness } from '../seeded-randomness.ts'
import { closeLot, type Lot } from './close-lot.ts'

const DEFINITIONS = [
  'CREATE TABLE lot (id INTEGER PRIMARY KEY, state TEXT, ends TIMESTAMP)',
  'CREATE TABLE closing (lot INTEGER, ends TIMESTAMP, runs INTEGER, at TIMESTAMP, PRIMARY KEY (lot, ends))',
  'CREATE OBSERVER close ON lot (ends) DUE ends',
]
const BATCH = 500
/** Of those that have committed, for nobody knows how many were lost with their answers. */
const CHANGES_AT_ONCE = 4
const WORKERS = 48

type Closing = {
  readonly lot: number
  readonly ends: string
  readonly runs: number
  readonly at: string
}

/** Lots with times, writers who move and end them, and workers that close each one at its time. */
export class Lots {
  readonly #url: () => string
  readonly #random: SeededRandomness
  readonly #failures: unknown[] = []
  /** How long before its time a lot was closed, by the clock of who closed it. */
  #earlyMs = 0
  #count = 0
  changed = 0

  constructor(url: () => string, random: SeededRandomness) {
    this.#url = url
    this.#random = random
  }

  async define(): Promise<void> {
    const db = connect({ url: this.#url() })
    for (const sql of DEFINITIONS) await db.query(sql)
    db.close()
  }

  /** So many lots, which end one after the other at this pace. */
  async open(count: number, pace: { readonly fromMs: number; readonly perSecond: number }) {
    const db = connect({ url: this.#url() })
    const { fromMs, perSecond } = pace
    for (let first = 0; first < count; first += BATCH) {
      const ids = Array.from({ length: Math.min(BATCH, count - first) }, (_, at) => first + at)
      const rows = ids.map((id) => {
        const ends = textOf(fromMs + (id * 1_000) / perSecond)
        return `(${id}, 'open', '${ends}')`
      })
      await db.query(`INSERT INTO lot (id, state, ends) VALUES ${rows.join(', ')}`)
    }
    db.close()
    this.#count = count
  }

  /** A process that closes what a server gives it, until the signal. */
  async work(url: string, signal: AbortSignal): Promise<void> {
    const db = connect({ url })
    while (!signal.aborted) {
      try {
        await db.observe<Lot>('close', closeLot, { workers: WORKERS, signal }).done
      } catch (error) {
        if (signal.aborted) break
        // The server that it begins at may have been killed; one that it knew is looked for by the client.
        if (!isCut(error)) this.#failures.push(error)
        await delay(100)
      }
    }
    db.close()
  }

  /** Moves, ends, deletes and writes again, until the signal. */
  async change(signal: AbortSignal): Promise<void> {
    await Promise.all(Array.from({ length: CHANGES_AT_ONCE }, () => this.#changeUntil(signal)))
  }

  async #changeUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const db = connect({ url: this.#url() })
      const id = this.#random.below(this.#count)
      const later = textOf(Date.now() + this.#random.below(3_000))
      const dice = this.#random.below(10)
      const others = Array.from({ length: 20 }, () => this.#random.below(this.#count))
      const sql =
        dice < 5
          ? `SET ends = '${later}' ON lot WHERE id = ${id}`
          : dice < 7
            ? `SET ends = NULL ON lot WHERE id = ${id}`
            : dice < 8
              ? `DELETE FROM lot WHERE id = ${id}`
              : `BEGIN; ${others.map((one) => `INSERT INTO lot (id, state, ends) VALUES (${one}, 'again', '${later}') ON CONFLICT DO UPDATE SET ends = '${later}'`).join('; ')}; COMMIT`
      try {
        await db.query(sql)
        this.changed += 1
      } catch (error) {
        if (!(error instanceof PercoliteError)) throw error
        await delay(20)
      } finally {
        db.close()
      }
      await delay(this.#random.below(40))
    }
  }

  /** Until every lot has been closed at its last time; then all of them are compared. */
  async check(lateMs: number): Promise<string> {
    const untilMs = performance.now() + lateMs
    for (;;) {
      const db = connect({ url: this.#url() })
      const { missing, said } = await this.#compared(db)
      db.close()
      if (missing.length === 0) return said
      assert.ok(performance.now() < untilMs, `${missing.length} were not closed, ${missing[0]}`)
      await delay(1_000)
    }
  }

  async #compared(db: Database) {
    const closings = new Map<string, Closing>()
    const lates: number[] = []
    for await (const one of db.scan<Closing>('SCAN * FROM closing USE PRIMARY KEY')) {
      closings.set(`${one.lot} ${one.ends}`, one)
      assert.equal(one.runs, 1, `lot ${one.lot} was closed ${one.runs} times at ${one.ends}`)
      lates.push(Date.parse(one.at) - Date.parse(one.ends))
    }
    const missing: string[] = []
    let lots = 0
    for await (const { id, ends } of db.scan<Lot>('SCAN id, ends FROM lot USE PRIMARY KEY')) {
      lots += 1
      if (ends !== null && !closings.has(`${id} ${ends}`)) missing.push(`lot ${id} of ${ends}`)
    }
    assert.deepEqual(this.#failures, [])
    await this.#requireNoFailure()
    lates.sort((one, other) => one - other)
    this.#earlyMs = -Math.min(0, lates[0] ?? 0)
    const at = (part: number) => Math.round(lates[Math.floor(lates.length * part)] ?? 0)
    const said =
      `${lots} lots, ${closings.size} times closed once, 0 twice, 0 never; ${this.changed} changes; late by ` +
      `${at(0.5)} ms (p50), ${at(0.99)} ms (p99), ${at(0.9999)} ms; at most ${this.#earlyMs} ms early`
    return { missing, said }
  }

  get earlyMs(): number {
    return this.#earlyMs
  }

  /** A lot that was given without a time fails, and is a dead letter in the end. */
  async #requireNoFailure(): Promise<void> {
    const answer = await fetch(`${this.#url()}/v1/observers`)
    const { observers } = (await answer.json()) as { observers: readonly Observer[] }
    for (const { lastError, deadLetters } of observers) {
      assert.deepEqual([lastError, deadLetters.count], [undefined, 0])
    }
  }
}

type Observer = {
  readonly lastError: unknown
  readonly deadLetters: { readonly count: number }
}

function isCut(error: unknown): boolean {
  return error instanceof PercoliteError && error.code === 'connection_failed'
}

function textOf(ms: number): string {
  return new Date(Math.round(ms)).toISOString()
}
