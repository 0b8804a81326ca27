// SPDX-License-Identifier: Apache-2.0
import { openStorage, type Storage } from '../../storage/storage.ts'
import { COLUMN, rowKey, rowValue, TRANSACTION_TABLE } from '../embedded/rows.ts'
import type { MemoryReport } from './memory.ts'

// A process of its own, so that its memory is that of the store alone: loads rows by transactions of
// a thousand, scans them all in one, and tells the most memory that it ever had.

const [folder = '', rowsText = ''] = process.argv.slice(2)
const BATCH = 1_000
const REPORT_ROWS = 100_000

await main(folder, Number(rowsText))

async function main(dataDirectory: string, rows: number): Promise<void> {
  const storage = await openStorage({ engine: 'sqlite', dataDirectory })
  const loadSeconds = await secondsOf(() => load(storage, rows))
  const scanSeconds = await secondsOf(() => scan(storage, rows))
  await storage.close()
  const { user, system } = process.cpuUsage()
  tell({
    ...{ rows, loadSeconds, scanSeconds },
    peakMiB: process.resourceUsage().maxRSS / 1024,
    cpuSeconds: (user + system) / 1e6,
  })
}

async function load(storage: Storage, rows: number): Promise<void> {
  for (let first = 0; first < rows; first += BATCH) {
    const transaction = await storage.begin()
    for (let row = first; row < Math.min(rows, first + BATCH); row += 1) {
      transaction.put(rowKey(TRANSACTION_TABLE, row), COLUMN, rowValue(row))
    }
    await transaction.commit()
    if ((first + BATCH) % REPORT_ROWS === 0) tell({ rows: first + BATCH })
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

function tell(report: MemoryReport): void {
  process.stdout.write(`${JSON.stringify(report)}\n`)
}
