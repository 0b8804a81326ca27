// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../storage/cells/cell.ts'
import { MemoryCellStore } from '../../storage/cells/memory/memory-cell-store.ts'
import { type CommitPhase, UNMEASURED } from '../../storage/measures.ts'
import { silentLog } from '../../storage/storage-log.ts'
import { BufferBudget, WriteBuffer } from '../../storage/transactions/buffer/write-buffer.ts'
import { SharedFeed } from '../../storage/transactions/feed/shared-feed.ts'
import { generalProtocol } from '../../storage/transactions/percolator/general-protocol.ts'
import { LockResolver } from '../../storage/transactions/percolator/lock-resolver.ts'
import { planWriteSet, type WriteSet } from '../../storage/transactions/percolator/write-set.ts'
import { BackgroundWork } from '../../storage/transactions/protocol/background-work.ts'
import type { Heartbeat, Liveness } from '../../storage/transactions/protocol/liveness.ts'
import type { ProtocolContext } from '../../storage/transactions/protocol/protocol-context.ts'
import type { Lock } from '../../storage/transactions/records/lock.ts'
import { Transaction } from '../../storage/transactions/transaction.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { cellLines, givenCells, OWNER_A, OWNER_B, rowKey } from './cell-notation.ts'
import { CountingOracle } from './counting-oracle.ts'
import { type Fault, FaultyCellStore } from './faulty-cell-store.ts'
import { LeapingClock } from './leaping-clock.ts'

export const COLUMN = '0'

/**
 * Gateways over one store in memory, with small timestamps, so that a scenario can be written down
 * cell by cell and stopped between any two steps of the protocol.
 */
export class ProtocolWorld {
  readonly cellStore = new MemoryCellStore()
  readonly oracle: CountingOracle
  readonly a: Gateway
  readonly b: Gateway

  /** `now` is the last timestamp that has been issued. */
  constructor(now: Timestamp) {
    this.oracle = new CountingOracle(now)
    this.a = new Gateway(this, OWNER_A)
    this.b = new Gateway(this, OWNER_B)
  }

  async given(...lines: string[]): Promise<void> {
    await givenCells(this.cellStore, lines)
  }

  async cells(): Promise<string[]> {
    await this.a.context.background.drain()
    await this.b.context.background.drain()
    return await cellLines(this.cellStore)
  }
}

export class Gateway {
  readonly store: FaultyCellStore
  readonly liveness: ScriptedLiveness
  readonly context: ProtocolContext
  readonly feed: SharedFeed
  readonly resolver: LockResolver
  /** What commits have waited for. */
  readonly waitedFor: CommitPhase[] = []
  readonly #budget = new BufferBudget(2 ** 40)

  constructor(world: ProtocolWorld, incarnation: string) {
    this.store = new FaultyCellStore(world.cellStore)
    this.liveness = new ScriptedLiveness(incarnation)
    this.context = {
      cellStore: this.store,
      oracle: world.oracle,
      clock: new LeapingClock(),
      randomness: new SeededRandomness(1),
      liveness: this.liveness,
      background: new BackgroundWork(silentLog),
      log: silentLog,
      measures: { ...UNMEASURED, phaseTook: (phase) => this.waitedFor.push(phase) },
    }
    this.resolver = new LockResolver(this.context)
    this.feed = new SharedFeed(this.context, this.resolver, 0)
  }

  beginAt(startTs: Timestamp, options: { keepsOutcome?: boolean } = {}): Transaction {
    return new Transaction(
      {
        protocol: generalProtocol(this.context, this.resolver, this.feed),
        budget: this.#budget,
        cellBytesMax: Number.MAX_SAFE_INTEGER,
        locksRows: true,
        ended: () => {},
      },
      {
        newId: () => `${startTs}.${'0'.repeat(32)}`,
        startTs,
        readOnly: false,
        keepsOutcome: options.keepsOutcome ?? false,
      },
    )
  }

  /** What a transaction that puts these values would commit; the first row is the primary. */
  writeSet(startTs: Timestamp, puts: Readonly<Record<string, string>>): WriteSet {
    const buffer = new WriteBuffer(this.#budget)
    for (const [row, value] of Object.entries(puts)) {
      buffer.write(rowKey(row), COLUMN, { kind: 'put', value: Buffer.from(value) })
    }
    const [first = ''] = Object.keys(puts)
    const primaryRow = buffer.rows().find(({ key }) => Buffer.from(key).toString() === first)?.key
    const request = {
      startTs,
      rows: buffer.rows(),
      hints: [],
      primaryRow,
      schemaScopes: [],
      changedSchemas: [],
      changesCatalog: false,
    }
    const owner = { incarnation: this.liveness.incarnation, wallMicros: () => startTs }
    return planWriteSet(request, owner, this.store.limits)
  }

  /** The n-th conditional mutation of this gateway, counted from now, meets this fault. */
  faultAt(call: number, fault: Fault): void {
    const first = this.store.calls
    this.store.fault = (count) => (count === first + call ? fault : 'none')
  }

  async read(row: string, readTs: Timestamp): Promise<string | null> {
    const found = await this.beginAt(readTs).getRow(rowKey(row), [COLUMN])
    const value = found?.columns.get(COLUMN)?.value
    return value === undefined ? null : Buffer.from(value).toString()
  }
}

/** Everybody lives unless the test says otherwise. */
export class ScriptedLiveness implements Liveness {
  readonly incarnation: string
  readonly dead = new Set<string>()
  readonly heartbeats = new Map<Timestamp, Heartbeat>()

  constructor(incarnation: string) {
    this.incarnation = incarnation
  }

  startedCommit(startTs: Timestamp, heartbeat: Heartbeat): void {
    this.heartbeats.set(startTs, heartbeat)
  }

  endedCommit(startTs: Timestamp): void {
    this.heartbeats.delete(startTs)
  }

  async isOwnerDead(lock: Lock): Promise<boolean> {
    return this.dead.has(lock.incarnation)
  }

  wallMicros(): number {
    return 1_000
  }

  async announce(): Promise<void> {}

  async stop(): Promise<void> {}
}
