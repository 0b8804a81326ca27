// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../storage/cells/cell.ts'
import { type CommitPhase, UNMEASURED } from '../../storage/measures.ts'
import { silentLog } from '../../storage/storage-log.ts'
import { BufferBudget } from '../../storage/transactions/buffer/write-buffer.ts'
import { EmbeddedFeed } from '../../storage/transactions/feed/embedded-feed.ts'
import type { EmbeddedContext } from '../../storage/transactions/one-process/embedded-context.ts'
import { embeddedProtocol } from '../../storage/transactions/one-process/embedded-protocol.ts'
import { COMMIT_TURN_ROWS } from '../../storage/transactions/one-process/latch-in-turns.ts'
import { LatchTable } from '../../storage/transactions/one-process/latches/latch-table.ts'
import { hashedRow } from '../../storage/transactions/one-process/latches/latched-rows.ts'
import { BackgroundWork } from '../../storage/transactions/protocol/background-work.ts'
import { ExclusiveLiveness } from '../../storage/transactions/protocol/liveness.ts'
import type { TransactionProtocol } from '../../storage/transactions/protocol/transaction-protocol.ts'
import { Transaction } from '../../storage/transactions/transaction.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { cellLines, givenCells, rowKey } from './cell-notation.ts'
import { CountingOracle } from './counting-oracle.ts'
import { LeapingClock } from './leaping-clock.ts'
import { ScriptedEmbeddedStore } from './scripted-embedded-store.ts'

export const COLUMN = '0'

const COMMITTED_CELL = /^(\w+)\S* (?:write|guard)@(\d+) -> (\d+)/

/**
 * The process that owns its store alone, with small timestamps and a writer that does what the test
 * says, so that a scenario can be stopped between any two turns.
 */
export class EmbeddedWorld {
  readonly store = new ScriptedEmbeddedStore()
  readonly oracle: CountingOracle
  readonly latches = new LatchTable()
  readonly feed: EmbeddedFeed
  readonly context: EmbeddedContext
  /** What commits have waited for. */
  readonly waitedFor: CommitPhase[] = []
  readonly #protocol: TransactionProtocol
  readonly #budget = new BufferBudget(2 ** 40)

  /** `now` is the last timestamp that has been issued. */
  constructor(now: Timestamp) {
    this.oracle = new CountingOracle(now)
    this.feed = new EmbeddedFeed({
      cellStore: this.store,
      oracle: this.oracle,
      latches: this.latches,
      beginsAt: 0,
    })
    const deps = { clock: new LeapingClock(), randomness: new SeededRandomness(1) }
    this.context = {
      ...deps,
      cellStore: this.store,
      oracle: this.oracle,
      latches: this.latches,
      commitLog: this.feed,
      commitTurnRows: COMMIT_TURN_ROWS,
      liveness: new ExclusiveLiveness(deps),
      background: new BackgroundWork(silentLog),
      log: silentLog,
      measures: { ...UNMEASURED, phaseTook: (phase) => this.waitedFor.push(phase) },
    }
    this.#protocol = embeddedProtocol(this.context)
  }

  beginAt(startTs: Timestamp, options: { readonly keepsOutcome?: boolean } = {}): Transaction {
    const parts = {
      protocol: this.#protocol,
      budget: this.#budget,
      cellBytesMax: Number.MAX_SAFE_INTEGER,
      locksRows: false,
      ended: () => {},
    }
    return new Transaction(parts, {
      startTs,
      newId: () => `${startTs}.${'0'.repeat(32)}`,
      readOnly: false,
      keepsOutcome: options.keepsOutcome ?? false,
    })
  }

  /** Begins at `startTs`, puts these values and commits. */
  commitAt(startTs: Timestamp, puts: Readonly<Record<string, string>>) {
    const transaction = this.beginAt(startTs)
    for (const [row, value] of Object.entries(puts)) {
      transaction.put(rowKey(row), COLUMN, Buffer.from(value))
    }
    return transaction.commit()
  }

  /** Cells of the view. Versions and guards' stamps were committed by this process. */
  async given(...lines: string[]): Promise<void> {
    await givenCells(this.store, lines)
    for (const line of lines) {
      const [, text, commitTs, startTs] = COMMITTED_CELL.exec(line) ?? []
      if (text === undefined) continue
      const rows = [{ ...hashedRow(text), kind: 'write' }] as const
      const owner = this.latches.latch(Number(startTs), rows)
      // Not by `stamp`: a scene may give its versions in any order.
      Object.assign(owner, { commitTs: Number(commitTs) })
      this.latches.release(owner, rows)
    }
  }

  /** What the view shows. */
  async cells(): Promise<string[]> {
    return await cellLines(this.store)
  }

  async read(row: string, readTs: Timestamp, signal?: AbortSignal): Promise<string | null> {
    const transaction = this.beginAt(readTs)
    const work = () => transaction.getRow(rowKey(row), [COLUMN])
    const found = await transaction.statement(work, { signal })
    const value = found?.columns.get(COLUMN)?.value
    return value === undefined ? null : Buffer.from(value).toString()
  }

  /** `name=value` of the rows of [start, end). */
  async scan(readTs: Timestamp, start: string, end: string, reverse = false): Promise<string[]> {
    const range = { start: rowKey(start), end: rowKey(end), reverse, columns: [COLUMN] }
    const rows = await Array.fromAsync(this.beginAt(readTs).scanRows(range))
    return rows.map(({ key, columns }) => {
      return `${Buffer.from(key)}=${Buffer.from(columns.get(COLUMN)?.value ?? []).toString()}`
    })
  }
}

/** What a promise has come to after everything that can run has run: its value, its error, or `waits`. */
export async function stateOf(promise: Promise<unknown>): Promise<unknown> {
  let state: unknown = 'waits'
  promise.then(
    (value) => (state = value),
    (error: unknown) => (state = (error as { code?: string }).code ?? error),
  )
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  return state
}
