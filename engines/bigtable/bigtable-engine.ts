// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto'
import type { CellStoreLimits } from '../../storage/cells/cell-store.ts'
import { endOfPrefix, systemRowKey } from '../../storage/cells/row-key.ts'
import { STORAGE_LIMITS } from '../../storage/limits.ts'
import { CallError } from '../network/call-errors.ts'
import { status } from '../network/status.ts'
import { BigtableCellStore } from './bigtable-cell-store.ts'
import {
  instancePath,
  prepareTable,
  type TableName,
  TableUnusable,
  tablePath,
} from './bigtable-table.ts'
import { type BigtableTransport, GrpcTransport } from './bigtable-transport.ts'
import { TIMESTAMP_MAX } from './timestamp-encoding.ts'

export type BigtableOptions = TableName & {
  /** The app profile: with routing to a single cluster, and transactional writes allowed. */
  readonly profile: string
  /** Whether the table and its families are made where they are missing. */
  readonly createTable: 'auto' | 'never'
  /** `BIGTABLE_EMULATOR_HOST`: asked in plain text, without credentials. */
  readonly emulatorHost: string | undefined
  /** What an emulator keeps; more for the service. */
  readonly timestampMax?: number
}

/** The service's own limits; the test engines do not hold them, so the store does. */
const LIMITS: CellStoreLimits = Object.freeze({
  rowKeyBytesMax: 4_096,
  cellBytesMax: 16 * 1024 * 1024,
  mutationsPerRowMax: 100_000,
  timestampMax: TIMESTAMP_MAX,
  inlineValueBytesMax: STORAGE_LIMITS.inlineValueBytesMax,
})

/**
 * Opens the table, and makes it if it may. Rejects with TableUnusable, whose message says what to do, and with
 * CallError where Bigtable does not answer.
 */
export async function openBigtableCellStore(options: BigtableOptions): Promise<BigtableCellStore> {
  const { emulatorHost, profile, createTable } = options
  const transport = await GrpcTransport.open(
    { emulatorHost },
    { instance: instancePath(options), profile },
  )
  try {
    await prepareTable(transport, options, createTable)
    const table = {
      ...{ transport, path: tablePath(options), profile },
      limits: { ...LIMITS, timestampMax: options.timestampMax ?? TIMESTAMP_MAX },
      hasReverseScans: true,
    }
    await requireTransactionalProfile(table)
    if (emulatorHost === undefined) return new BigtableCellStore(table)
    const hasReverseScans = await scansBackward(new BigtableCellStore(table))
    return new BigtableCellStore({ ...table, hasReverseScans })
  } catch (error) {
    transport.close()
    throw error
  }
}

const PROBE = 'probe'

/** A conditional mutation of a row that is not there and that it does not make. */
async function requireTransactionalProfile({
  transport,
  path,
  profile,
}: {
  readonly transport: BigtableTransport
  readonly path: string
  readonly profile: string
}): Promise<void> {
  const [familyName, columnQualifier] = ['data', Buffer.from(PROBE)]
  try {
    await transport.unary('CheckAndMutateRow', {
      ...{ tableName: path, appProfileId: profile, rowKey: systemRowKey(PROBE) },
      predicateFilter: { familyNameRegexFilter: familyName },
      trueMutations: [{ deleteFromColumn: { familyName, columnQualifier, timeRange: {} } }],
      falseMutations: [],
    })
  } catch (error) {
    if (!(error instanceof CallError) || error.code !== status.FAILED_PRECONDITION) throw error
    const named = profile === '' ? 'The default app profile' : `The app profile ${profile}`
    throw new TableUnusable(
      `${named} does not take conditional mutations: it needs routing to a single cluster, with single-row transactions allowed. Bigtable says: ${error.message}`,
      { cause: error },
    )
  }
}

/** Some emulators answer forward, without a word. Two rows of its own tell, which are gone again afterwards. */
async function scansBackward(store: BigtableCellStore): Promise<boolean> {
  const start = systemRowKey(`${PROBE}/${randomUUID()}/`)
  const end = endOfPrefix(start) as Uint8Array
  const column = { family: 'data', qualifier: PROBE } as const
  const rows = ['1', '2'].map((name) => Buffer.concat([start, Buffer.from(name)]))
  const change = async (mutation: object) => {
    await store.mutateRows(rows.map((row) => ({ row, mutations: [mutation as never] })))
  }
  await change({ kind: 'setCell', ...column, timestamp: 1, value: new Uint8Array() })
  try {
    const scan = { start, end, reverse: true, limit: 1, filter: [{ family: 'data' }] } as const
    const [found] = await Array.fromAsync(store.scanRows(scan))
    return found !== undefined && Buffer.compare(found.key, rows[1] as Uint8Array) === 0
  } finally {
    await change({ kind: 'deleteFromColumn', ...column, timestamps: {} })
  }
}
