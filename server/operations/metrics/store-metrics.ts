// SPDX-License-Identifier: Apache-2.0
import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { StorageStatus } from '../../../storage/operations/operations.ts'
import type { Storage, Timestamp } from '../../../storage/storage.ts'
import type { EndedTransactions } from '../../requests/transactions/ended-transactions.ts'
import { feedLagMs, LastAnswer } from './last-answer.ts'
import { snakeCase } from './metric-name.ts'

/** The figures of `GET /v1/status` that change, and the feed. */
export class StoreMetrics {
  readonly #storage: Storage
  readonly #ended: EndedTransactions
  readonly #lagMs: LastAnswer<number>
  readonly #transactions: Counter<'outcome'>
  readonly #requests: Counter<'request'>
  readonly #gateway: Gauge<'incarnation'>
  readonly #gauges: Readonly<Record<keyof typeof GAUGES, Gauge>>

  constructor(registry: Registry, storage: Storage, ended: EndedTransactions) {
    this.#storage = storage
    this.#ended = ended
    this.#lagMs = new LastAnswer(storage, () => feedLagMs(storage))
    this.#transactions = new Counter({
      name: 'percolite_transactions_total',
      help: 'Transactions of clients that have ended, each once, by outcome; `read` ones wrote nothing.',
      labelNames: ['outcome'],
      registers: [registry],
    })
    this.#requests = new Counter({
      name: 'percolite_store_requests_total',
      help: 'Requests to a store on the network, by their names there.',
      labelNames: ['request'],
      registers: [registry],
    })
    this.#gateway = new Gauge({
      name: 'percolite_gateway_info',
      help: '1, with the name of this run of the server.',
      labelNames: ['incarnation'],
      registers: [registry],
    })
    const gauges = Object.entries(GAUGES).map(([name, help]) => [
      name,
      new Gauge({ name: `percolite_${name}`, help, registers: [registry] }),
    ])
    this.#gauges = Object.fromEntries(gauges)
  }

  async collect(): Promise<void> {
    const lagMs = await this.#lagMs.get()
    const status = this.#storage.status()
    this.#transactions.reset()
    for (const [outcome, count] of Object.entries(this.#ended.counts)) {
      this.#transactions.inc({ outcome: snakeCase(outcome) }, count)
    }
    this.#requests.reset()
    for (const [request, count] of status.requestsSent ?? []) this.#requests.inc({ request }, count)
    this.#gateway.set({ incarnation: status.incarnation }, 1)
    const figures = { ...figuresOf(status), feed_lag_seconds: lagMs && lagMs / 1000 }
    for (const [name, gauge] of Object.entries(this.#gauges)) {
      const figure = figures[name as keyof typeof GAUGES]
      // A new gauge reads 0, which would be wrong for what has not happened yet.
      if (figure === undefined) gauge.remove()
      else gauge.set(figure)
    }
  }
}

const GAUGES = {
  open_transactions: 'Transactions that are open, over one request or several.',
  buffered_bytes: 'What open transactions have written and not committed.',
  safe_point_age_seconds: 'How far back the store can be read.',
  oldest_snapshot_age_seconds: 'How long ago the oldest open transaction began.',
  index_builds: 'Indexes that this server is building.',
  feed_lag_seconds: 'How far the feed of changes is behind the newest timestamp.',
  store_silent_seconds: 'For how long a store on other machines has not answered; 0 while it does.',
  clock_offset_seconds:
    'By how much the wall clock is ahead of the trusted time; 0 unless it jumped.',
  timestamp_ahead_seconds: 'By how much the newest timestamp is ahead of the trusted time.',
  disk_size_bytes: 'Size of the disk that the data is on.',
  disk_free_bytes: 'What that disk has left.',
  disk_full: '1 while writes are refused because the disk has no room for them.',
  store_damaged: '1 once damage of the file was found, by a request or by the check after a kill.',
  store_size_bytes: 'The file of the store.',
  log_size_bytes: 'The file of its write-ahead log.',
  memtable_bytes: 'Cells that are in the redo log and not in the tables yet.',
  memtable_cells: 'How many cells these are.',
  flush_lag_seconds: 'How long ago the oldest of these cells was committed.',
  last_collection_rows: 'Rows from which the last garbage collection took something.',
  last_collection_bytes: 'What the last garbage collection gave back.',
  last_collection_seconds: 'How long the last garbage collection took.',
} as const

/** Undefined is what there is no figure of yet. */
type Figures = { readonly [name in keyof typeof GAUGES]?: number | undefined }

function figuresOf(status: StorageStatus): Figures {
  const { lastCollection, disk, clock, memtables } = status
  return {
    open_transactions: status.openTransactions,
    buffered_bytes: status.bufferedBytes,
    // Before the first collection the store can be read back to its beginning, whenever that was.
    safe_point_age_seconds: status.safePoint === 0 ? undefined : ageOf(status.safePoint, status),
    oldest_snapshot_age_seconds: ageOf(status.oldestSnapshot, status),
    index_builds: status.indexBuilds.length,
    store_silent_seconds: status.answeredMicros && status.silentMs / 1000,
    clock_offset_seconds: clock.offsetMicros / 1_000_000,
    timestamp_ahead_seconds: clock.aheadMicros / 1_000_000,
    disk_size_bytes: disk?.sizeBytes,
    disk_free_bytes: disk?.freeBytes,
    disk_full: disk && Number(disk.isFull),
    store_damaged: disk && Number(status.isDamaged),
    store_size_bytes: disk?.storeBytes,
    log_size_bytes: disk?.logBytes,
    memtable_bytes: memtables?.bytes,
    memtable_cells: memtables?.cells,
    flush_lag_seconds: memtables && memtables.flushLagMs / 1000,
    last_collection_rows: lastCollection?.rowsCollected,
    last_collection_bytes: lastCollection?.bytesReclaimed,
    last_collection_seconds: lastCollection && lastCollection.elapsedMs / 1000,
  }
}

/** In seconds, by the timestamps of the store. */
function ageOf(then: Timestamp, { timestamp }: Pick<StorageStatus, 'timestamp'>): number {
  return Math.max(0, timestamp - then) / 1_000_000
}
