// SPDX-License-Identifier: Apache-2.0
import { openStorage, type Storage } from '../../storage/storage.ts'
import { COLUMN, rowKey, rowValue, TRANSACTION_TABLE } from '../embedded/rows.ts'
import { batches } from '../load/data.ts'
import type { SampledWorkload } from '../load/workload.ts'

const ROWS_PER_TRANSACTION = 1_000

export type MemorySettings = { readonly dataDirectory: string; readonly rows: number }

/**
 * Once, loads rows by transactions of a thousand and scans them all in one. The process is its own, so
 * that its memory is that of the store alone.
 */
export async function openWorkload({
  dataDirectory,
  rows,
}: MemorySettings): Promise<SampledWorkload> {
  return {
    async run(_order, signal) {
      const storage = await openStorage({ engine: 'sqlite', dataDirectory })
      const loadSeconds = await secondsOf(() => load(storage, rows, signal))
      const scanSeconds = await secondsOf(() => scan(storage, rows))
      await storage.close()
      const { user, system } = process.cpuUsage()
      return {
        operations: rows,
        seconds: loadSeconds + scanSeconds,
        cpuSeconds: (user + system) / 1e6,
        figures: {
          peakMiB: process.resourceUsage().maxRSS / 1024,
          loadRowsPerSecond: rows / loadSeconds,
          scanRowsPerSecond: rows / scanSeconds,
        },
      }
    },
    close: async () => {},
  }
}

async function load(storage: Storage, rows: number, signal: AbortSignal): Promise<void> {
  for (const numbers of batches(rows, ROWS_PER_TRANSACTION)) {
    signal.throwIfAborted()
    const transaction = await storage.begin()
    for (const row of numbers) {
      transaction.put(rowKey(TRANSACTION_TABLE, row), COLUMN, rowValue(row))
    }
    await transaction.commit()
  }
}

async function scan(storage: Storage, rows: number): Promise<void> {
  const transaction = await storage.begin({ readOnly: true })
  const range = { start: rowKey(TRANSACTION_TABLE, 0), end: rowKey(TRANSACTION_TABLE + 1, 0) }
  let count = 0
  for await (const _ of transaction.scanRows({ ...range, columns: [COLUMN] })) count += 1
  await transaction.commit()
  if (count !== rows) throw new Error(`The scan found ${count} rows of ${rows}.`)
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return (performance.now() - startedMs) / 1000
}
