// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStoreLimits } from '../../cells/cell-store.ts'
import { invariant } from '../../invariant.ts'
import type { BufferedRow, BufferedWrite } from '../buffer/write-buffer.ts'
import type { CommitRequest } from '../protocol/transaction-protocol.ts'
import type { ColumnAddress, Lock, LockedColumn, RowGroup } from '../records/lock.ts'
import type { Hint } from '../records/notify-cell.ts'

/** A row group to be prewritten, with the values that are too long for a lock. */
export type PrewriteGroup = RowGroup & {
  readonly values: ReadonlyMap<string, Uint8Array>
  readonly notified: BufferedRow['notified']
}

/** What one transaction commits: its rows as row groups, and the column that decides for all. */
export type WriteSet = {
  readonly startTs: Timestamp
  readonly primaryColumn: string
  readonly primary: PrewriteGroup
  readonly secondaries: readonly PrewriteGroup[]
  readonly hints: readonly Hint[]
  /** Tables whose definition must not have changed since startTs. */
  readonly schemaScopes: readonly number[]
  /** Tables whose definition this transaction changes. */
  readonly changedSchemas: readonly number[]
  readonly changesCatalog: boolean
  /** It must not commit later than this. */
  readonly commitTsMax?: Timestamp | undefined
}

/** Values that are longer are in `data`. */
type InlineLimit = Pick<CellStoreLimits, 'inlineValueBytesMax'>

/** The owner of the locks. */
type LockOwner = { readonly incarnation: string; wallMicros(): number }

/**
 * The write set of a commit: chooses the primary and turns buffered writes into locks. The primary is a put or a delete
 * and never a guard: a guard leaves no write record, and then nothing would show that the transaction committed (I7).
 */
export function planWriteSet(
  request: CommitRequest,
  owner: LockOwner,
  limits: InlineLimit,
): WriteSet {
  const { startTs, rows, primaryRow, hints, schemaScopes, changedSchemas, changesCatalog } = request
  const { incarnation } = owner
  const wallMicros = owner.wallMicros()
  const primary = choosePrimary(rows, primaryRow)
  invariant(primary !== undefined, 'I7', { startTs })
  const lockFor = (write: BufferedWrite): Lock => {
    return { startTs, primary, incarnation, wallMicros, content: contentOf(write, limits) }
  }
  const groups = rows.map((row) => groupOf(row, lockFor, limits))
  const found = groups.find(({ row }) => row === primary.row)
  invariant(found !== undefined, 'I7', { primary: primary.column })
  return {
    startTs,
    primaryColumn: primary.column,
    primary: found,
    secondaries: groups.filter((group) => group !== found),
    hints,
    schemaScopes,
    changedSchemas,
    changesCatalog,
  }
}

function choosePrimary(
  rows: readonly BufferedRow[],
  primaryRow: Uint8Array | undefined,
): ColumnAddress | undefined {
  const candidates = primaryRow === undefined ? rows : rows.filter((row) => row.key === primaryRow)
  for (const { key, writes } of candidates) {
    for (const [column, write] of writes) {
      if (write.kind !== 'guard') return { row: key, column }
    }
  }
  return undefined
}

function groupOf(
  row: BufferedRow,
  lockFor: (write: BufferedWrite) => Lock,
  { inlineValueBytesMax }: InlineLimit,
): PrewriteGroup {
  const values = new Map<string, Uint8Array>()
  const columns = [...row.writes]
    .map(([column, write]): LockedColumn => ({ column, lock: lockFor(write) }))
    .sort((a, b) => (a.column < b.column ? -1 : 1)) // Columns are ASCII: this is their byte order.
  for (const [column, write] of row.writes) {
    if (write.kind === 'put' && write.value.length > inlineValueBytesMax)
      values.set(column, write.value)
  }
  const [first, ...rest] = columns
  invariant(first !== undefined, 'I1', { row: Buffer.from(row.key).toString('hex') })
  return { row: row.key, columns: [first, ...rest], values, notified: row.notified }
}

/** The content of this write's lock. */
export function contentOf(
  write: BufferedWrite,
  { inlineValueBytesMax }: InlineLimit,
): Lock['content'] {
  if (write.kind !== 'put') return { kind: write.kind }
  return write.value.length <= inlineValueBytesMax
    ? { kind: 'inline', value: write.value }
    : { kind: 'data', byteLength: write.value.length }
}
