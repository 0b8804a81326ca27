// SPDX-License-Identifier: Apache-2.0
import type { SqlRow } from '../../../storage/tables/tables.ts'
import type { Workload } from '../swarm.ts'

/** A column as a transaction saw it: its value, and the version it was told. */
export type SeenValue = {
  readonly value: Uint8Array
  /** Null for a write of the transaction itself. */
  readonly commitTs: number | null
}

export type OwnWrite =
  | { readonly kind: 'put'; readonly value: Uint8Array }
  | { readonly kind: 'delete' }
  | { readonly kind: 'guard' }

/** By row (as text) and column. */
export type OwnWrites = ReadonlyMap<string, ReadonlyMap<string, OwnWrite>>

export type SeenRow = {
  readonly row: string
  readonly columns: ReadonlyMap<string, SeenValue>
}

export type Observation =
  | {
      readonly kind: 'read'
      readonly rows: readonly string[]
      readonly columns: readonly string[]
      readonly seen: ReadonlyArray<SeenRow | null>
      readonly own: OwnWrites
    }
  | {
      readonly kind: 'scan'
      readonly start: string
      readonly end: string
      readonly reverse: boolean
      readonly limit: number | undefined
      readonly columns: readonly string[]
      readonly seen: readonly SeenRow[]
      readonly own: OwnWrites
    }

/** A statement that was refused since another row had a value of this unique index. */
export type RefusedStatement = {
  readonly index: string
  /** The rows as they would have been. */
  readonly rows: readonly SqlRow[]
  readonly own: OwnWrites
}

/** What a client of the list workload knows: appended elements and lists that it read, in order. */
export type ListOperation =
  | { readonly kind: 'append'; readonly key: string; readonly element: number }
  | { readonly kind: 'read'; readonly key: string; readonly elements: readonly number[] }

export type Outcome =
  /** Begun, and not yet ended. */
  | 'open'
  | 'committed'
  | 'rolledBack'
  /** The client was told that the outcome is unknown, or its gateway died. */
  | 'unknown'
  | 'lost'

/** One transaction as its client saw it, and what the client meant to write. */
export class RecordedTransaction {
  readonly number: number
  readonly workload: Workload
  readonly client: number
  /** The largest commitTs that any client had been told when this one asked to begin. */
  readonly acknowledgedBefore: number
  /** The same for start timestamps: they rise with real time, too. */
  readonly begunBefore: number
  readonly observations: Observation[] = []
  readonly listOperations: ListOperation[] = []
  readonly refusals: RefusedStatement[] = []
  /** Whether it wrote rows by a table's definition, or changed that definition. */
  schema: 'depends' | 'changes' | undefined
  /** Row keys of which it told a weak observer without writing them. */
  readonly hinted = new Set<string>()
  /** Of the run of an observer: what there was to see. */
  observed: 'pending' | 'alreadyObserved' | undefined
  readonly writes = new Map<string, Map<string, OwnWrite>>()
  id: string | undefined
  startTs: number | undefined
  /** A snapshot of the past: its timestamp is not one of its own. */
  isAsOf = false
  readOnly = false
  keepsOutcome = false
  commitWasSent = false
  /** Which process began it. */
  process: string | undefined
  outcome: Outcome = 'open'
  /** Null when there was nothing to commit. */
  commitTs: number | null = null
  /** What `outcomeOf` answered, with the timestamp for a commit. */
  settled: { readonly kind: string; readonly commitTs?: number } | undefined

  constructor(facts: {
    number: number
    workload: Workload
    client: number
    acknowledgedBefore: number
    begunBefore: number
  }) {
    this.number = facts.number
    this.workload = facts.workload
    this.client = facts.client
    this.acknowledgedBefore = facts.acknowledgedBefore
    this.begunBefore = facts.begunBefore
  }

  write(row: string, column: string, write: OwnWrite): void {
    const writes = this.writes.get(row) ?? new Map<string, OwnWrite>()
    this.writes.set(row, writes)
    // A guard changes nothing about a write that is there already.
    if (write.kind === 'guard' && writes.has(column)) return
    writes.set(column, write)
  }

  /** A copy of the own writes as they stand, for the judgement of a later reading. */
  ownWrites(): OwnWrites {
    return new Map([...this.writes].map(([row, writes]) => [row, new Map(writes)]))
  }

  get writesValues(): boolean {
    return [...this.writes.values()].some((row) =>
      [...row.values()].some((write) => write.kind !== 'guard'),
    )
  }

  toString(): string {
    return `transaction ${this.number} (${this.workload}, startTs ${this.startTs})`
  }
}

export class History {
  readonly transactions: RecordedTransaction[] = []
  #acknowledgedTs = 0
  #begunTs = 0

  /** The largest timestamp that any client was told. */
  get newestTs(): number {
    return Math.max(this.#acknowledgedTs, this.#begunTs)
  }

  begin(workload: Workload, client: number): RecordedTransaction {
    const transaction = new RecordedTransaction({
      number: this.transactions.length,
      workload,
      client,
      acknowledgedBefore: this.#acknowledgedTs,
      begunBefore: this.#begunTs,
    })
    this.transactions.push(transaction)
    return transaction
  }

  begun(startTs: number): void {
    this.#begunTs = Math.max(this.#begunTs, startTs)
  }

  acknowledged(commitTs: number): void {
    this.#acknowledgedTs = Math.max(this.#acknowledgedTs, commitTs)
  }
}
