// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { dataLines, dataWords, lockLines, lockWords, nameOfRow } from './cell-words.ts'
import { stampLabels } from './stamp-labels.ts'

export type RowCells = Schemas['RowCells']
/** How the server commits; it decides whether there were locks where there are none now. */
export type CommitMode = 'one-phase' | 'two-phase'

export const FAMILIES = ['data', 'lock', 'write', 'rollback', 'guard', 'notify'] as const
export type Family = (typeof FAMILIES)[number]

/** One column of one row, or of an entry: the lanes that belong together. */
export type Strand = {
  /** The row, and the family of columns where the row has several. */
  readonly title: string
  /** Of the row, in sentences. */
  readonly name: string
  readonly families: readonly Family[]
}

/** One thing that is drawn. */
export type Mark = {
  readonly id: string
  /** Its place among the strands. */
  readonly strand: number
  readonly family: Family
  readonly timestamp: number
  /** `supposed` is a lock that is not there any more, and must have been. */
  readonly look: 'cell' | 'inline' | 'supposed'
  /** The stamps from which on it stood there, and from which on no longer; all later ones where there is none. */
  readonly from: number
  readonly until: number | undefined
  /** The start stamp of the transaction that it is of, where it tells. */
  readonly transaction: number | undefined
  /** In its box. */
  readonly lines: readonly string[]
  /** All of it, for its title, its accessible name and the table. */
  readonly words: string
}

export type CellHistory = {
  readonly strands: readonly Strand[]
  /** By strand, family and stamp. */
  readonly marks: readonly Mark[]
  /** Every stamp of a mark, ascending. */
  readonly stamps: readonly number[]
  readonly commit: CommitMode
  /** The short name of a stamp, such as `…046`. */
  readonly label: (timestamp: number) => string
}

/** What the cells of some rows tell, read together. */
export function historyOf(rows: readonly RowCells[], commit: CommitMode): CellHistory {
  const stamps = [...new Set(rows.flatMap(stampsOf))].sort((one, other) => one - other)
  const label = stampLabels(stamps)
  const strands: Strand[] = []
  const marks: Mark[] = []
  for (const row of rows) {
    const columns = columnsOf(row)
    for (const column of columns) {
      const own = columnCells(row, column, columns[0] as string)
      const at = strands.length
      strands.push({
        title: titleOf(row, column, columns),
        name: nameOfRow(row),
        families: FAMILIES.filter((family, order) => order < 3 || own[family].length > 0),
      })
      marks.push(...marksOf(own, at, { commit, label }))
    }
  }
  return { strands, marks, stamps, commit, label }
}

function stampsOf(row: RowCells): number[] {
  const own = FAMILIES.flatMap((family) => row[family].map(({ timestamp }) => timestamp))
  return [...own, ...row.write.map(({ startTimestamp }) => startTimestamp)]
}

/** The columns that hold values, ascending; one at least. */
function columnsOf({ data, lock, write }: RowCells): string[] {
  const columns = new Set([...data, ...lock, ...write].map(({ column }) => column))
  return columns.size === 0 ? ['0'] : [...columns].sort()
}

/** Cells of columns without values, such as notifications, are shown with the first column. */
function columnCells(row: RowCells, column: string, first: string) {
  const known = new Set(columnsOf(row))
  const isOwn = (cell: { readonly column: string }) =>
    cell.column === column || (column === first && !known.has(cell.column))
  const { data, lock, write, rollback, guard, notify } = row
  return {
    row,
    data: data.filter(isOwn),
    lock: lock.filter(isOwn),
    write: write.filter(isOwn),
    rollback: rollback.filter(isOwn),
    guard: guard.filter(isOwn),
    notify: notify.filter(isOwn),
  }
}

function titleOf(row: RowCells, column: string, columns: readonly string[]): string {
  const name = `${row.index ?? row.table} ${nameOfRow(row)}`
  if (columns.length < 2) return name
  const { data } = row
  const own = data.filter((cell) => cell.column === column)
  if (own.length === 0) return `${name} · column ${column}`
  // A step does not say which columns were declared together; the cells of before do.
  const family = own.find((cell) => cell.family !== undefined)?.family
  return family === undefined ? name : `${name} · ${family}`
}

type Own = ReturnType<typeof columnCells>
type Dependencies = { readonly commit: CommitMode; readonly label: (timestamp: number) => string }

function marksOf(own: Own, strand: number, { commit, label }: Dependencies): Mark[] {
  const isTwoPhase = commit === 'two-phase'
  const commits = new Map(own.write.map((cell) => [cell.startTimestamp, cell.timestamp]))
  const mark = (
    family: Family,
    timestamp: number,
    more: Pick<Mark, 'lines' | 'words'> & Partial<Mark>,
  ): Mark => ({
    ...{ id: `${strand} ${family} ${timestamp}`, strand, family, timestamp },
    ...{ look: 'cell', from: timestamp, until: undefined, transaction: undefined },
    ...more,
  })
  const keys = new Set(own.row.key.map(String))
  const data = own.data.map((cell, at) =>
    mark('data', cell.timestamp, {
      look: cell.inline ? 'inline' : 'cell',
      // In one phase it came with its record.
      from: isTwoPhase ? cell.timestamp : (commits.get(cell.timestamp) ?? cell.timestamp),
      transaction: cell.timestamp,
      lines: dataLines(cell, own.data[at + 1], keys),
      words: dataWords(cell, label),
    }),
  )
  const locks = own.lock.map((cell) =>
    mark('lock', cell.timestamp, {
      transaction: cell.timestamp,
      lines: lockLines(cell),
      words: lockWords(cell, label),
    }),
  )
  const supposed = own.write.map((cell) =>
    mark('lock', cell.startTimestamp, {
      look: 'supposed',
      until: cell.timestamp,
      transaction: cell.startTimestamp,
      lines: ['locked'],
      words: `A lock of T${label(cell.startTimestamp)} must have stood here until ${label(cell.timestamp)}.`,
    }),
  )
  const writes = own.write.map((cell) =>
    mark('write', cell.timestamp, {
      transaction: cell.startTimestamp,
      lines: [cell.kind, `of T${label(cell.startTimestamp)}`],
      words: `Write record at ${label(cell.timestamp)}: ${cell.kind} by T${label(cell.startTimestamp)}.`,
    }),
  )
  return [
    ...[...data, ...locks],
    ...(isTwoPhase ? supposed : []),
    ...writes,
    ...own.rollback.map((cell) =>
      mark('rollback', cell.timestamp, {
        transaction: cell.timestamp,
        lines: ['rolled back'],
        words: `T${label(cell.timestamp)} was rolled back here, and may not lock any more.`,
      }),
    ),
    ...own.guard.map((cell) =>
      mark('guard', cell.timestamp, {
        lines: ['guarded'],
        words: `A transaction that committed at ${label(cell.timestamp)} guarded this, without writing it.`,
      }),
    ),
    ...own.notify.map((cell) =>
      mark('notify', cell.timestamp, {
        lines: ['notified'],
        words: `At ${label(cell.timestamp)} observers were notified, and have not all run yet.`,
      }),
    ),
  ]
}
