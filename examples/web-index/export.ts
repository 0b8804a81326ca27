// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Row } from '@percolite/client'
import { differencesOf } from './check.ts'

/** What a relay sends to. */
export type Serving = { readonly copyOf: (table: string) => readonly Row[] }

const LOOK_MS = 250
/** Without one message that was taken. A try that failed is repeated later and later. */
const STALLED_MS = 60_000
const SAMPLE_CHARACTERS = 200

/**
 * From now on each commit that changes clusters is sent there, whole and in order, until it is taken.
 * Returns the secret of the messages. The server has to be started with this url as `--relay-to`.
 */
export async function exportClusters(db: Database, url: string): Promise<string> {
  const sql = `CREATE RELAY serving ON TABLES cluster TO '${url}'`
  const { rows } = await db.query<{ secret: string }>(sql)
  return (rows[0] as { secret: string }).secret
}

/** What SHOW RELAYS says of the relay, as far as it is needed here. */
type RelayStatus = {
  readonly name: string
  readonly state: string
  readonly reason: string | null
  readonly sent: number
}

export type ExportReport = { readonly clusters: number; readonly messages: number }

/**
 * Waits until the receiver has exactly the clusters as they are; the observers have to be at rest. Throws
 * when that cannot come.
 */
export async function untilExported(
  db: Database,
  serving: Serving,
  signal: AbortSignal,
): Promise<ExportReport> {
  const clusters = await Array.fromAsync(db.scan<Row>('SCAN * FROM cluster'))
  const columns = Object.keys(clusters[0] ?? {})
  const valuesOf = (rows: readonly Row[]) => rows.map((row) => columns.map((name) => row[name]))
  let sent = -1
  let progressMs = performance.now()
  for (;;) {
    const status = await readStatus(db)
    if (status.sent !== sent) {
      sent = status.sent
      progressMs = performance.now()
    } else {
      const copy = valuesOf(serving.copyOf('cluster'))
      const differences = differencesOf('the receiver', copy, valuesOf(clusters))
      if (differences.length === 0) return { clusters: clusters.length, messages: sent }
      if (performance.now() - progressMs > STALLED_MS) throw stalled(status, differences)
    }
    await sleep(LOOK_MS, undefined, { signal })
  }
}

function stalled({ state, reason }: RelayStatus, differences: readonly string[]): Error {
  const sample = differences[0]?.slice(0, SAMPLE_CHARACTERS)
  const why = reason === null ? '' : ` (${reason})`
  return new Error(`the relay is ${state}${why}; ${differences.length} differences: ${sample}`)
}

async function readStatus(db: Database): Promise<RelayStatus> {
  const { rows } = await db.query<RelayStatus>('SHOW RELAYS')
  const status = rows.find(({ name }) => name === 'serving')
  if (status === undefined) throw new Error('there is no relay called serving')
  return status
}
