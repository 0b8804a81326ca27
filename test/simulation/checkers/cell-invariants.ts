// SPDX-License-Identifier: Apache-2.0
import { type Cell, FAMILIES, type Row } from '../../../storage/cells/cell.ts'
import type { CellStore } from '../../../storage/cells/cell-store.ts'
import { keyString } from '../../../storage/cells/row-key.ts'
import { decodeLock } from '../../../storage/transactions/records/lock.ts'
import {
  decodeStartTs,
  decodeWriteRecord,
} from '../../../storage/transactions/records/write-record.ts'
import { columnName } from './commit-log.ts'
import type { RecordedTransaction } from './history.ts'
import type { Violations } from './violations.ts'

const EVERYTHING = FAMILIES.map((family) => ({ family }))

/** Every row of the store as it is in this moment; the memory engine answers within one turn. */
export async function readAllRows(inner: CellStore): Promise<Row[]> {
  return await Array.fromAsync(inner.scanRows({ start: new Uint8Array(), filter: EVERYTHING }))
}

/** The invariants of `storage/DESIGN.md` that can be seen in the cells, at one moment of a run. */
export function checkCells(
  rows: readonly Row[],
  facts: {
    readonly transactions: ReadonlyMap<number, RecordedTransaction>
    readonly safePoint: number
    readonly violations: Violations
  },
): void {
  const byName = new Map(rows.map((row) => [keyString(row.key), row]))
  const committed = committedStarts(rows)
  for (const row of rows) {
    checkRowGroups(row, facts.transactions, facts.violations)
    checkColumns(row, facts.violations)
    checkPrimaries(row, byName, { ...facts, committed })
  }
}

export function locksIn(rows: readonly Row[]): string[] {
  return rows.flatMap((row) =>
    row.cells
      .filter((cell) => cell.family === 'lock')
      .map((cell) => `${keyString(row.key).slice(1)}#${cell.qualifier}@${cell.timestamp}`),
  )
}

/** I1: the locks of one transaction on one row are all of its columns there, or none. */
function checkRowGroups(
  { key, cells }: Row,
  transactions: ReadonlyMap<number, RecordedTransaction>,
  violations: Violations,
): void {
  const groups = new Map<number, string[]>()
  for (const { family, timestamp, qualifier } of cells) {
    if (family === 'lock') groups.set(timestamp, [...(groups.get(timestamp) ?? []), qualifier])
  }
  const name = keyString(key)
  for (const [startTs, columns] of groups) {
    const written = transactions.get(startTs)?.writes.get(name)
    const expected = written === undefined ? ['0'] : [...written.keys()].sort()
    if (columns.join() !== expected.join()) {
      violations.add('I1', `${name.slice(1)}: locks of ${startTs} on ${columns}, not ${expected}`)
    }
  }
}

function checkColumns({ key, cells }: Row, violations: Violations): void {
  const name = keyString(key)
  for (const qualifier of new Set(cells.map((cell) => cell.qualifier))) {
    const of = (family: Cell['family']) =>
      cells.filter((cell) => cell.family === family && cell.qualifier === qualifier)
    const column = columnName(name.slice(1), qualifier)
    const locks = of('lock')
    if (locks.length > 1) violations.add('I2', `${column} has ${locks.length} locks`)
    const writes = of('write').map((cell) => ({ cell, ...decodeWriteRecord(cell.value) }))
    const spans = [
      ...writes.map(({ cell, startTs }) => ({ startTs, commitTs: cell.timestamp })),
      ...of('guard').map((cell) => {
        return { startTs: decodeStartTs(cell.value), commitTs: cell.timestamp }
      }),
    ].sort((a, b) => a.commitTs - b.commitTs)
    for (const [index, { startTs, commitTs }] of spans.entries()) {
      const before = spans[index - 1]
      if (commitTs <= startTs || (before !== undefined && before.commitTs >= startTs)) {
        violations.add('I4', `${column}: the commit at ${commitTs} overlaps another`)
      }
    }
    for (const { startTs, content } of writes) {
      const value = of('data').find((cell) => cell.timestamp === startTs)
      if (content.kind === 'data' && value?.value.length !== content.byteLength) {
        violations.add('I5', `${column}: the record of ${startTs} has no value`)
      }
      if (of('rollback').some((cell) => cell.timestamp === startTs)) {
        violations.add('I3', `${column}: ${startTs} is both committed and rolled back`)
      }
    }
  }
}

/** The start timestamps of all that some row has a write record of. */
function committedStarts(rows: readonly Row[]): ReadonlySet<number> {
  const records = rows.flatMap((row) => row.cells.filter(({ family }) => family === 'write'))
  return new Set(records.map(({ value }) => decodeWriteRecord(value).startTs))
}

/**
 * I6: while a lock of a committed transaction stands, its primary has the record, unless history has gone. Of one that
 * is under way the primary may still know nothing: all its rows are prewritten together.
 */
function checkPrimaries(
  row: Row,
  byName: ReadonlyMap<string, Row>,
  {
    safePoint,
    transactions,
    committed,
    violations,
  }: {
    readonly safePoint: number
    readonly transactions: ReadonlyMap<number, RecordedTransaction>
    readonly committed: ReadonlySet<number>
    readonly violations: Violations
  },
): void {
  for (const cell of row.cells) {
    if (cell.family !== 'lock' || cell.timestamp < safePoint) continue
    const startTs = cell.timestamp
    const { primary } = decodeLock(startTs, cell.value)
    const cells = byName.get(keyString(primary.row))?.cells ?? []
    const isKnown = cells.some(
      ({ family, qualifier, timestamp, value }) =>
        qualifier === primary.column &&
        (((family === 'lock' || family === 'rollback') && timestamp === startTs) ||
          (family === 'write' && decodeWriteRecord(value).startTs === startTs)),
    )
    const wasAcknowledged = transactions.get(startTs)?.outcome === 'committed'
    if (!isKnown && (wasAcknowledged || committed.has(startTs))) {
      const name = keyString(row.key).slice(1)
      violations.add(
        'I6',
        `${name}: the lock of ${startTs} is committed, and its primary knows nothing`,
      )
    }
  }
}
