// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { readPlainRow, replacePlainRow } from '../../cells/plain-row.ts'
import { systemRowKey } from '../../cells/row-key.ts'
import { repeat } from '../../clock.ts'
import type { ProtocolContext } from '../../transactions/protocol/protocol-context.ts'
import { decodeStartTs, encodeStartTs } from '../../transactions/records/write-record.ts'

/**
 * The row of the store that says which of the processes that share it collects garbage, and until when no other one
 * begins to.
 *
 *     00 "gc/lease"   1795705461084001 (8 bytes), 5f3c… (16 bytes)
 */
export const LEASE_ROW = systemRowKey('gc/lease')
export const LEASE_BYTES = 8 + 16

/** A process that does not renew it for so long has ended, or is paused. */
const LEASE_MS = 60_000

type LeaseDependencies = Pick<
  ProtocolContext,
  'cellStore' | 'oracle' | 'clock' | 'liveness' | 'log'
>

/**
 * Spares many processes from walking one store at once. A courtesy: two collections at the same time do no harm, so
 * nothing depends on clocks that run alike.
 */
export class CollectionLease {
  readonly #deps: LeaseDependencies
  readonly #owner: Buffer

  constructor(deps: LeaseDependencies) {
    this.#deps = deps
    this.#owner = Buffer.from(deps.liveness.incarnation, 'hex')
  }

  /**
   * Does the work, unless another process is doing it, or ended it less than `everyMs` ago: then it resolves to false.
   * Rejects as the work does, and with CellStoreError.
   */
  async run(everyMs: number, work: () => Promise<unknown>): Promise<boolean> {
    const { cellStore, clock, log, oracle } = this.#deps
    const { timestamp: now } = await oracle.nextToRead()
    const found = await readPlainRow(cellStore, LEASE_ROW)
    if (found !== undefined && this.#isOfAnother(found, now)) return false
    let held = this.#until(now, LEASE_MS)
    if (!(await replacePlainRow(cellStore, LEASE_ROW, found, held))) return false
    const renew = async (forMs: number) => {
      const renewed = this.#until(oracle.approximateNow(), forMs)
      if (await replacePlainRow(cellStore, LEASE_ROW, held, renewed)) held = renewed
    }
    const ending = new AbortController()
    const renewing = repeat(clock, {
      everyMs: LEASE_MS / 3,
      signal: ending.signal,
      work: () => renew(LEASE_MS),
      failed: (error) => log.warn({ error: String(error) }, 'the lease to collect was not renewed'),
    })
    try {
      await work()
      await renew(everyMs)
      return true
    } finally {
      ending.abort()
      await renewing
    }
  }

  #isOfAnother(lease: Uint8Array, now: Timestamp): boolean {
    const isOwn = this.#owner.equals(lease.subarray(8))
    return !isOwn && decodeStartTs(lease.subarray(0, 8)) > now
  }

  #until(now: Timestamp, ms: number): Uint8Array {
    return Buffer.concat([encodeStartTs(now + ms * 1_000), this.#owner])
  }
}
