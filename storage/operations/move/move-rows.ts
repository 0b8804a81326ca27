// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { readPlainRow, setPlain } from '../../cells/plain-row.ts'
import { systemRowKey } from '../../cells/row-key.ts'
import { StorageError } from '../../errors.ts'
import { type RowWriterDependencies, sentUntilApplied } from './row-writer.ts'

/** Begins the keys of the two rows below. */
export const MOVE_PREFIX = systemRowKey('move/')

/**
 * Where a store comes from, in the store that it was moved to: a row without transactions, as JSON.
 *
 *     00 "move/source"   {"history":"5f3c…","from":1795705461084001,"copiedTo":"0100000007…","isDone":false}
 */
const SOURCE_ROW = systemRowKey('move/source')
/**
 * Where a store has gone, in the store that was moved. It takes no writes any more.
 *
 *     00 "move/target"   {"to":"etcd at 10.0.0.1:2379, under percolite/","url":"http://…","at":1795705461084001}
 */
const TARGET_ROW = systemRowKey('move/target')

export type MoveSource = {
  /** The id of the history that is moved. */
  readonly history: string
  /** Positions in the feed from here on stay valid. */
  readonly from: Timestamp
  /** The rows up to this key, in hexadecimal digits, have been copied once. */
  readonly copiedTo: string
  /** Whether all has been copied, so that the store may be used. */
  readonly isDone: boolean
}

export type MovedTo = {
  /** The store, for people. */
  readonly to: string
  /** Where a server of that store is; empty when it was not said. */
  readonly url: string
  /** The newest timestamp at that time. */
  readonly at: Timestamp
}

export async function readMoveSource(cellStore: CellStore): Promise<MoveSource | undefined> {
  return await readJson(cellStore, SOURCE_ROW)
}

export async function writeMoveSource(
  context: RowWriterDependencies,
  source: MoveSource,
): Promise<void> {
  await writeJson(context, SOURCE_ROW, source)
}

/** Undefined while the store has not been moved. Rejects with CellStoreError. */
export async function readMovedTo(cellStore: CellStore): Promise<MovedTo | undefined> {
  return await readJson(cellStore, TARGET_ROW)
}

export async function writeMovedTo(context: RowWriterDependencies, moved: MovedTo): Promise<void> {
  await writeJson(context, TARGET_ROW, moved)
}

/** Rule M2. Throws StorageError `moving` where a move has begun and not ended. Rejects with CellStoreError. */
export async function requireWhole(cellStore: CellStore): Promise<void> {
  const source = await readMoveSource(cellStore)
  if (source === undefined || source.isDone) return
  throw new StorageError(
    'moving',
    'A move into this store has begun and not ended. Run percolite move again: it goes on where it was.',
  )
}

/** Why a store that has been moved takes no writes. */
export function movedAway({ to, url }: MovedTo): StorageError {
  const where = url === '' ? to : url
  return new StorageError(
    'moved',
    `This store has been moved, and takes no writes: use ${where}.`,
    {
      url,
    },
  )
}

async function readJson<T>(cellStore: CellStore, row: Uint8Array): Promise<T | undefined> {
  const value = await readPlainRow(cellStore, row)
  return value === undefined ? undefined : JSON.parse(Buffer.from(value).toString())
}

async function writeJson(
  context: RowWriterDependencies,
  row: Uint8Array,
  value: object,
): Promise<void> {
  const mutations = [setPlain(Buffer.from(JSON.stringify(value)))]
  await sentUntilApplied(context, [{ row, mutations }])
}
