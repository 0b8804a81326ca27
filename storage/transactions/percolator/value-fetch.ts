// SPDX-License-Identifier: Apache-2.0
import type { Row, Timestamp } from '../../cells/cell.ts'
import { DamagedRecord } from '../../invariant.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import { checkSnapshotReadable } from '../protocol/snapshot-age.ts'
import { dataOf, newestDataUpTo } from '../records/percolator-columns.ts'
import { valueParts } from '../records/value-parts.ts'
import {
  bytesToFetch,
  type SettledRow,
  type SnapshotRow,
  type Version,
  type VersionedValue,
} from '../records/version.ts'

/**
 * The rows with their values. Short values are in the write record; for the others one read takes the newest data cell
 * of each row, which is nearly always the right one, and the rest are read by their exact address.
 */
export async function fetchValues(
  context: ProtocolContext,
  rows: readonly SettledRow[],
  readTs: Timestamp,
): Promise<Array<SnapshotRow | null>> {
  const fetched: Array<SnapshotRow | null> = []
  for (const part of valueParts(rows, bytesToFetch)) {
    // Between two parts, waiting requests get a turn.
    if (fetched.length > 0) await context.clock.sleep(0)
    fetched.push(...(await fetchPart(context, part, readTs)))
  }
  return fetched
}

async function fetchPart(
  context: ProtocolContext,
  rows: readonly SettledRow[],
  readTs: Timestamp,
): Promise<Array<SnapshotRow | null>> {
  const images = await readNewestData(context, rows, readTs)
  const fetched: Array<SnapshotRow | null> = []
  for (const row of rows) {
    const columns = new Map<string, VersionedValue>()
    for (const [column, version] of row.versions) {
      const value =
        version.content.kind === 'inline'
          ? version.content.value
          : (dataIn(images.get(row), column, version) ??
            (await readExactData(context, { key: row.key, column, version, readTs })))
      columns.set(column, { value, commitTs: version.commitTs })
    }
    fetched.push(columns.size === 0 ? null : { key: row.key, columns })
  }
  return fetched
}

async function readNewestData(
  { cellStore }: ProtocolContext,
  rows: readonly SettledRow[],
  readTs: Timestamp,
): Promise<ReadonlyMap<SettledRow, Row | null>> {
  const images = new Map<SettledRow, Row | null>()
  const wanted = rows.filter((row) => bytesToFetch(row) > 0)
  if (wanted.length === 0) return images
  const columns = new Set(wanted.flatMap((row) => [...row.versions.keys()]))
  const found = await cellStore.readRows(
    wanted.map((row) => row.key),
    [...columns].map((column) => newestDataUpTo(column, readTs)),
  )
  for (const [index, row] of wanted.entries()) images.set(row, found[index] ?? null)
  return images
}

async function readExactData(
  { cellStore, oracle }: ProtocolContext,
  at: {
    readonly key: Uint8Array
    readonly column: string
    readonly version: Version
    readonly readTs: Timestamp
  },
): Promise<Uint8Array> {
  const { key, column, version, readTs } = at
  const [image] = await cellStore.readRows([key], [dataOf(column, version.startTs)])
  const value = dataIn(image, column, version)
  if (value !== undefined) return value
  // A write record without its data never means "absent": either garbage collection has passed this snapshot, which the
  // check reports, or the store is damaged.
  await checkSnapshotReadable(oracle, readTs)
  throw new DamagedRecord('I5', { row: Buffer.from(key).toString('hex'), column, ...version })
}

function dataIn(
  image: Row | null | undefined,
  column: string,
  { startTs }: Version,
): Uint8Array | undefined {
  return image?.cells.find(
    (cell) => cell.family === 'data' && cell.qualifier === column && cell.timestamp === startTs,
  )?.value
}
