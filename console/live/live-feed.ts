// SPDX-License-Identifier: Apache-2.0
import type {
  Change,
  ResultEvent,
  Row,
  SnapshotRow,
  Splice,
  SubscriptionEvent,
} from '../../client-sdk/client.ts'
import { gridCell, valueText } from '../page/grid-cell.ts'
import { countedText, countText } from '../page/stamp-text.ts'
import { ListRows, type PlaceChange } from './list-rows.ts'
import { type LiveRow, OrderedRows, type RowChange } from './ordered-rows.ts'

/** Lines that are kept at most, the newest of them. */
export const LINES_MAX = 500
/** Changes of a second that have a line of their own; those beyond are counted. */
export const LINES_PER_SECOND = 50

export type Op = Change['op']

/** A value of a column; `from` where it was another one before. */
export type LineValue = { readonly column: string; readonly from?: string; readonly to: string }

type LineText =
  | {
      readonly kind: 'change'
      readonly stamp: number
      readonly op: Op
      readonly key: string
      readonly values: readonly LineValue[]
    }
  | { readonly kind: 'count'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }

/** What the log says, one line each. */
export type LogLine = { readonly id: number } & LineText

/** Of the second in which changes come now. */
type Second = { readonly at: number; changes: number; ops: Map<Op, number> }

/** Of either mode. */
export type LiveEvent = SubscriptionEvent<Row> | ResultEvent<Row>

/** The rows of a subscription as they are, and the log of what has come. Bounded, whatever comes. */
export class LiveFeed {
  readonly rows = new OrderedRows()
  /** Those of a list, which has an order of its own and is bounded by the server; then there are no others. */
  readonly list = new ListRows()
  /** All rows that match, also those that are not kept. */
  rowCount = 0
  changeCount = 0
  /** Whether it is told as a list, as the server says before the first event. */
  isList = false
  /** Everything up to there has been told; undefined before the end of the snapshot. */
  position: number | undefined
  /** How long after its commit the last one was here, in milliseconds, by the clock of this machine. */
  lagMs: number | undefined
  #lines: LogLine[] = []
  #ids = 0
  #second: Second = { at: 0, changes: 0, ops: new Map() }
  #secondBefore: Pick<Second, 'at' | 'changes'> = { at: 0, changes: 0 }

  /** The newest first. Another array after each change. */
  get lines(): readonly LogLine[] {
    return this.#lines
  }

  /** The first of the rows, in their order. */
  first(count: number): readonly LiveRow[] {
    return this.isList ? this.list.first(count) : this.rows.first(count)
  }

  apply(event: LiveEvent, nowMs: number): void {
    if ('timestamp' in event) this.position = event.timestamp
    switch (event.kind) {
      case 'reset':
        this.#reset(event.reason)
        break
      case 'rows':
        if (this.isList) this.list.push(event.rows as readonly Row[])
        else
          for (const { key, row } of event.rows as readonly SnapshotRow[])
            this.rows.set({ key, row })
        this.rowCount += event.rows.length
        break
      case 'snapshot':
        this.note(`${countedText(this.rowCount, 'row')} as of the snapshot. Changes follow.`)
        break
      case 'commit':
        this.lagMs = Math.max(0, nowMs - event.timestamp / 1_000)
        for (const change of event.changes) this.#change(change, event.timestamp, nowMs)
        break
      case 'patch':
        this.lagMs = Math.max(0, nowMs - event.timestamp / 1_000)
        for (const splice of event.splice) this.#splice(splice, event.timestamp, nowMs)
        this.rowCount = this.list.length
    }
  }

  /** Something that the log says besides changes. */
  note(text: string): void {
    this.#add({ kind: 'note', text })
  }

  /** Changes in the last second that is over. */
  rate(nowMs: number): number {
    const before = Math.floor(nowMs / 1_000) - 1
    const found = [this.#second, this.#secondBefore].find(({ at }) => at === before)
    return found?.changes ?? 0
  }

  #reset(reason: 'history_replaced' | undefined): void {
    this.rows.clear()
    this.list.clear()
    this.rowCount = 0
    this.position = undefined
    const missed = this.isList
      ? 'The difference to the list as it was cannot be told any more.'
      : 'Changes were missed that the server does not keep any more.'
    const why =
      reason === undefined ? missed : 'The store is another one, or an earlier copy of it.'
    this.note(`${why} The rows are read again.`)
  }

  #change(change: Change<Row>, stamp: number, nowMs: number): void {
    const { op, key, row } = change
    const before = this.rows.get(key)?.row
    const values = row === undefined ? [] : lineValues(op, before, row)
    if (row === undefined) this.rows.delete(key)
    else this.rows.set({ key, row, change: rowChange(op as RowChange['op'], values, nowMs) })
    if (op === 'insert' || op === 'enter') this.rowCount += 1
    if (op === 'leave' || op === 'delete') this.rowCount -= 1
    this.changeCount += 1
    this.#log({ kind: 'change', stamp, op, key: keyText(key), values }, nowMs)
  }

  #splice(splice: Splice<Row>, stamp: number, nowMs: number): void {
    const valuesOf = ({ op, before, row = before as Row }: PlaceChange) =>
      lineValues(op, before, row)
    const mark = (change: PlaceChange) =>
      rowChange(change.op as RowChange['op'], valuesOf(change), nowMs)
    for (const change of this.list.splice(splice, mark)) {
      const { op, place } = change
      this.changeCount += 1
      this.#log(
        { kind: 'change', stamp, op, key: `place ${place}`, values: valuesOf(change) },
        nowMs,
      )
    }
  }

  /** Many changes of a second become one line, which counts on until the second is over. */
  #log(line: Extract<LineText, { kind: 'change' }>, nowMs: number): void {
    const second = this.#secondOf(nowMs)
    second.changes += 1
    if (second.changes <= LINES_PER_SECOND) {
      this.#add(line)
      return
    }
    second.ops.set(line.op, (second.ops.get(line.op) ?? 0) + 1)
    const count = { kind: 'count', text: moreText(second.ops) } as const
    if (second.changes === LINES_PER_SECOND + 1) this.#add(count)
    else this.#replaceCount(count)
  }

  #secondOf(nowMs: number): Second {
    const at = Math.floor(nowMs / 1_000)
    if (at !== this.#second.at) {
      this.#secondBefore = this.#second
      this.#second = { at, changes: 0, ops: new Map() }
    }
    return this.#second
  }

  #add(line: LineText): void {
    this.#ids += 1
    this.#lines = [{ ...line, id: this.#ids }, ...this.#lines.slice(0, LINES_MAX - 1)]
  }

  /** A note may have come after the count that is replaced. */
  #replaceCount(count: LineText): void {
    const at = this.#lines.findIndex(({ kind }) => kind === 'count')
    const { id } = this.#lines[at] as LogLine
    this.#lines = this.#lines.with(at, { ...count, id })
  }
}

/** Of an update what has changed, and nothing of a row that was not kept; else the whole row. */
function lineValues(op: Op, before: Row | undefined, row: Row): LineValue[] {
  const values = Object.entries(row)
  if (op !== 'update') return values.map(([column, to]) => ({ column, to: shown(to) }))
  if (before === undefined) return []
  return values
    .filter(([column, to]) => !isSame(before[column], to))
    .map(([column, to]) => ({ column, from: shown(before[column]), to: shown(to) }))
}

function rowChange(op: RowChange['op'], values: readonly LineValue[], atMs: number): RowChange {
  return { op, columns: new Set(values.map(({ column }) => column)), atMs }
}

function isSame(a: unknown, b: unknown): boolean {
  return typeof a === typeof b && (a === null) === (b === null) && valueText(a) === valueText(b)
}

/** The values of a key, as they stand in a line: `bob`, `7, acme`. */
export function keyText(key: readonly unknown[]): string {
  return key.map(shown).join(', ')
}

function shown(value: unknown): string {
  const { text } = gridCell(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

function moreText(ops: ReadonlyMap<Op, number>): string {
  const all = [...ops.values()].reduce((sum, count) => sum + count, 0)
  const each = [...ops].map(([op, count]) => `${countText(count)} ${op}`)
  return `and ${countText(all)} more in this second: ${each.join(', ')}`
}
