// SPDX-License-Identifier: Apache-2.0
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { type Latency, latencyOf, recordMs } from '../../harness/sample.ts'
import type { AbortCause } from '../engine.ts'
import { TRANSACTION_NAMES, type TransactionName } from './transaction-names.ts'

/** What one kind of transaction did in a stretch of time. */
export type TransactionFigures = {
  readonly name: TransactionName
  /** Those that ended as they were meant to, forced rollbacks included. */
  readonly ended: number
  /** Orders that the customer took back, or that the executor had no right to give. */
  readonly rolledBack: number
  readonly gaveUp: number
  readonly retries: number
  readonly aborts: Readonly<Partial<Record<AbortCause, number>>>
  readonly unknownOutcomes: number
  /** From the intended start to the end of the last attempt. */
  readonly latency: Latency
  /** Of the attempts that ended well, each by itself. */
  readonly attemptLatency: Latency
  /** What lookups found, in the mean, by frame; absent elsewhere. */
  readonly rowsFound?: number
}

class OneKind {
  readonly latency: RecordableHistogram = createHistogram()
  readonly attemptLatency: RecordableHistogram = createHistogram()
  readonly aborts = new Map<AbortCause, number>()
  ended = 0
  rolledBack = 0
  gaveUp = 0
  retries = 0
  unknownOutcomes = 0
  rowsFound = 0
  lookups = 0
}

/** Counts what ends while it is the current one. */
export class Tally {
  readonly #kinds = new Map(TRANSACTION_NAMES.map((name) => [name, new OneKind()]))

  ended(name: TransactionName, ms: { readonly total: number; readonly attempt: number }): void {
    const kind = this.#of(name)
    kind.ended += 1
    recordMs(kind.latency, ms.total)
    recordMs(kind.attemptLatency, ms.attempt)
  }

  rolledBack(name: TransactionName): void {
    this.#of(name).rolledBack += 1
  }

  gaveUp(name: TransactionName): void {
    this.#of(name).gaveUp += 1
  }

  aborted(name: TransactionName, cause: AbortCause, outcome: 'rolledBack' | 'unknown'): void {
    const kind = this.#of(name)
    kind.retries += 1
    kind.aborts.set(cause, (kind.aborts.get(cause) ?? 0) + 1)
    if (outcome === 'unknown') kind.unknownOutcomes += 1
  }

  found(name: TransactionName, rows: number): void {
    const kind = this.#of(name)
    kind.rowsFound += rows
    kind.lookups += 1
  }

  figures(): readonly TransactionFigures[] {
    return TRANSACTION_NAMES.map((name) => {
      const { latency, attemptLatency, aborts, rowsFound, lookups, ...counts } = this.#of(name)
      return {
        name,
        ...counts,
        aborts: Object.fromEntries(aborts),
        latency: latencyOf(latency),
        attemptLatency: latencyOf(attemptLatency),
        ...(lookups === 0 ? {} : { rowsFound: rowsFound / lookups }),
      }
    })
  }

  #of(name: TransactionName): OneKind {
    return this.#kinds.get(name) as OneKind
  }
}
