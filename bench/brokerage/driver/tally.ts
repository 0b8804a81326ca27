// SPDX-License-Identifier: Apache-2.0
import { createHistogram } from 'node:perf_hooks'
import { latencyOf, recordMs } from '../../harness/sample.ts'
import type { AbortCause } from '../engine.ts'
import { TRANSACTION_NAMES, type TransactionName } from './transaction-names.ts'

/** What one kind of transaction did in a stretch of time. */
class OneKind {
  /** From the intended start to the end of the last attempt. */
  readonly latency = createHistogram()
  /** Of the attempts that ended well, each by itself. */
  readonly attemptLatency = createHistogram()
  readonly aborts = new Map<AbortCause, number>()
  /** Those that ended as they were meant to, forced rollbacks included. */
  ended = 0
  /** Orders that the customer took back, or that the executor had no right to give. */
  rolledBack = 0
  gaveUp = 0
  retries = 0
  unknownOutcomes = 0
  rowsFound = 0
  lookups = 0
}

export type TransactionFigures = ReturnType<Tally['figures']>[number]

/** Counts what ends while it is the current one. */
export class Tally {
  readonly #kinds = new Map(TRANSACTION_NAMES.map((name) => [name, new OneKind()]))

  ended(name: TransactionName, ms: { readonly total: number; readonly attempt: number }): void {
    const kind = this.of(name)
    kind.ended += 1
    recordMs(kind.latency, ms.total)
    recordMs(kind.attemptLatency, ms.attempt)
  }

  aborted(name: TransactionName, cause: AbortCause, outcome: 'rolledBack' | 'unknown'): void {
    const kind = this.of(name)
    kind.retries += 1
    kind.aborts.set(cause, (kind.aborts.get(cause) ?? 0) + 1)
    if (outcome === 'unknown') kind.unknownOutcomes += 1
  }

  /** `rowsFound` is what lookups found, in the mean; absent elsewhere. */
  figures() {
    return TRANSACTION_NAMES.map((name) => {
      const { latency, attemptLatency, aborts, rowsFound, lookups, ...counts } = this.of(name)
      return {
        name,
        ...counts,
        aborts: Object.fromEntries(aborts) as Partial<Record<AbortCause, number>>,
        latency: latencyOf(latency),
        attemptLatency: latencyOf(attemptLatency),
        ...(lookups === 0 ? {} : { rowsFound: rowsFound / lookups }),
      }
    })
  }

  of(name: TransactionName): OneKind {
    return this.#kinds.get(name) as OneKind
  }
}
