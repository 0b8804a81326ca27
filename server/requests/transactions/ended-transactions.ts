// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../../storage/storage.ts'
import { problemOf } from '../../errors/error-response.ts'
import { ClientDisconnected } from '../../errors/server-error.ts'
import { retryableCause } from './retry.ts'

/**
 * How a transaction of a client ended. `committed` wrote something, `read` did not. `rolledBack` was given up by
 * its client: by ROLLBACK, by leaving, or by waiting for too long. `refused` met a conflict, also when it was run
 * again; `failed` met any other error; of `unknown` it cannot be said whether it is committed.
 */
export type EndedAs = 'committed' | 'read' | 'rolledBack' | 'refused' | 'failed' | 'unknown'

/** Counts each transaction once, at its end, however often it was run. */
export class EndedTransactions {
  readonly #counts: Record<EndedAs, number> = {
    committed: 0,
    read: 0,
    rolledBack: 0,
    refused: 0,
    failed: 0,
    unknown: 0,
  }

  get counts(): Readonly<Record<EndedAs, number>> {
    return this.#counts
  }

  /** `commitTs` is null where nothing was written. */
  committed(commitTs: Timestamp | null): void {
    this.#counts[commitTs === null ? 'read' : 'committed'] += 1
  }

  rolledBack(): void {
    this.#counts.rolledBack += 1
  }

  /** As `committed`; undefined is counted as rolled back. */
  count(commitTs: Timestamp | null | undefined): void {
    if (commitTs === undefined) this.rolledBack()
    else this.committed(commitTs)
  }

  failed(error: unknown): void {
    this.#counts[endingBy(error)] += 1
  }

  /** Returns the result of `work`, and counts it; `commitTsOf` returns what `count` takes. */
  async counted<T>(
    work: () => Promise<T>,
    commitTsOf: (result: T) => Timestamp | null | undefined = () => null,
  ): Promise<T> {
    let result: T
    try {
      result = await work()
    } catch (error) {
      this.failed(error)
      throw error
    }
    this.count(commitTsOf(result))
    return result
  }
}

function endingBy(error: unknown): EndedAs {
  if (isOfLeaving(error)) return 'rolledBack'
  if (problemOf(error).code === 'commit_outcome_unknown') return 'unknown'
  return retryableCause(error) ? 'refused' : 'failed'
}

function isOfLeaving(error: unknown): boolean {
  if (error instanceof ClientDisconnected) return true
  return error instanceof Error && error.cause !== undefined && isOfLeaving(error.cause)
}
