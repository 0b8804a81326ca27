// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../../clock.ts'
import { StorageError } from '../../errors.ts'
import { invariant } from '../../invariant.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import type { MaybePromise } from '../../maybe-promise.ts'
import type { Randomness } from '../../randomness.ts'
import { type BeginOwn, isConflict, runShort } from '../../transactions/own-transactions.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { unlessAborted } from '../../unless-aborted.ts'
import { INTEGER_MAX, INTEGER_MIN, readIdentity, writeIdentity } from '../catalog/identity-row.ts'
import { identityOf } from '../identity-column.ts'
import type { TableDefinition } from '../table-definition.ts'

/**
 * Few at first, since those that are left are lost when the process ends, and twice as many each time that they were
 * used up, so that a table that grows fast waits for one commit in a thousand rows.
 */
const { identityBlockFirst, identityBlockMax, tablesMax } = STORAGE_LIMITS

type Block = {
  readonly series: number
  /** The next number that is handed out; all of them have been where it is `end`. */
  next: bigint
  end: bigint
  /** How many are taken when these are used up. */
  size: number
  /** Those who need more at the same time wait for one block. */
  renewal?: Promise<void> | undefined
}

/**
 * Hands out the numbers of identity columns. Each process takes a block of them for itself, in a transaction of its own
 * that has committed before the first is handed out:
 *
 *     identity/7   next = 1                        process A             process B
 *                  next = 33    A has committed    1, 2, 3 …
 *                  next = 65    B has committed    4, 5, 6 …             33, 34 …
 *
 * T5: no number of a series is handed out twice. Of two transactions that write the row one conflicts (I4), so blocks
 * of different processes do not overlap; and those of one process ascend, which is looked at each time.
 */
export class IdentityBlocks {
  readonly #deps: {
    readonly begin: BeginOwn
    readonly clock: Clock
    readonly randomness: Randomness
  }
  readonly #blocks = new Map<number, Block>()
  readonly #closing = new AbortController()

  constructor(parts: {
    readonly begin: BeginOwn
    readonly clock: Clock
    readonly randomness: Randomness
  }) {
    this.#deps = parts
  }

  /**
   * So many numbers for the identity column of the table, ascending, without waiting where they are at hand. Throws or
   * rejects with StorageError: `schema_changed` for a table that was dropped or restarted since, `out_of_range` when
   * no INTEGER is left, `write_conflict` when others were faster each time; and the signal's reason.
   */
  take(
    table: TableDefinition,
    count: number,
    signal?: AbortSignal,
  ): MaybePromise<readonly bigint[]> {
    const block = this.#blockOf(table)
    const numbers: bigint[] = []
    handOut(block, numbers, count)
    if (numbers.length === count) return numbers
    // Their commit may wait for as long as no standby is there, and whoever needs them may not.
    return unlessAborted(signal, this.#takeMore(table, block, numbers, count))
  }

  /** Ends the attempts that are under way. */
  stop(): void {
    this.#closing.abort(new StorageError('closed', 'The store is being closed.'))
  }

  async #takeMore(
    table: TableDefinition,
    block: Block,
    numbers: bigint[],
    count: number,
  ): Promise<readonly bigint[]> {
    while (numbers.length < count) {
      block.renewal ??= this.#renew(table, block, count - numbers.length).finally(() => {
        block.renewal = undefined
      })
      await block.renewal
      handOut(block, numbers, count)
    }
    return numbers
  }

  #blockOf(table: TableDefinition): Block {
    const series = identityOf(table)?.identity.series
    invariant(series !== undefined, 'T5', { table: table.name })
    const known = this.#blocks.get(table.id)
    if (known?.series === series) return known
    if (known !== undefined && known.series > series) throw restarted(table)
    const block = { series, next: INTEGER_MIN, end: INTEGER_MIN, size: identityBlockFirst }
    this.#blocks.set(table.id, block)
    // Of tables that were dropped, too.
    const [oldest] = this.#blocks.keys()
    if (this.#blocks.size > tablesMax && oldest !== undefined) this.#blocks.delete(oldest)
    return block
  }

  async #renew(table: TableDefinition, block: Block, missing: number): Promise<void> {
    const wanted = BigInt(Math.max(block.size, missing))
    let attempts = 0
    const take = async (transaction: Transaction) => {
      attempts += 1
      return await takeBlock(transaction, table, block.series, wanted)
    }
    const range = await runShort(this.#deps, take, this.#closing.signal).catch((error) => {
      throw isConflict(error) ? noneTaken(table, attempts, error) : error
    })
    if (range === undefined) throw restarted(table)
    const isAbove = block.next === block.end && range.first >= block.end
    invariant(isAbove, 'T5', { table: table.name, first: range.first, before: block.end })
    block.next = range.first
    block.end = range.end
    block.size = Math.min(2 * block.size, identityBlockMax)
  }
}

/** Takes the numbers from `next` on, and commits that; returns undefined where the series has ended. */
async function takeBlock(
  transaction: Transaction,
  table: TableDefinition,
  series: number,
  wanted: bigint,
): Promise<{ readonly first: bigint; readonly end: bigint } | undefined> {
  transaction.requireRoom()
  const counter = await readIdentity(transaction, table)
  // Not by an error: what is retryable would be tried again, from the same definition.
  if (counter?.series !== series) return undefined
  const { next: first } = counter
  const left = INTEGER_MAX + 1n - first
  if (left <= 0n) throw noneLeft(table)
  const end = first + (wanted < left ? wanted : left)
  writeIdentity(transaction, table, { series, next: end })
  // Only when it has committed are they this process's own (T5).
  await transaction.commit()
  return { first, end }
}

function handOut(block: Block, numbers: bigint[], count: number): void {
  while (numbers.length < count && block.next < block.end) numbers.push(block.next++)
}

function restarted({ name }: TableDefinition): StorageError {
  const message = `The table "${name}" was dropped, or its numbers were restarted, since the transaction began.`
  return new StorageError('schema_changed', message, { table: name })
}

/** Nothing that the transaction itself has written was in the way, and its client has to be told so. */
function noneTaken(table: TableDefinition, attempts: number, cause: StorageError): StorageError {
  if (cause.code === 'moving' || cause.code === 'no_second_copy') return cause
  const column = identityOf(table)?.column.name
  const why =
    cause.code === 'commit_outcome_unknown'
      ? 'the store did not answer whether they were taken'
      : 'other servers, which take numbers as well, were faster'
  const message = `No numbers for the column "${column}" of "${table.name}" after ${attempts} attempts: ${why}.`
  return new StorageError('write_conflict', message, { table: table.name, column }, { cause })
}

function noneLeft(table: TableDefinition): StorageError {
  const column = identityOf(table)?.column.name
  const message = `The column "${column}" of "${table.name}" has had the largest INTEGER: no number is left.`
  return new StorageError('out_of_range', message, { table: table.name, column })
}
