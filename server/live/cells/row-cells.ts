// SPDX-License-Identifier: Apache-2.0

import type { InspectedCell, StandingLock, Timestamp } from '../../../storage/storage.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import type { Turns } from '../../guard/budgets/turns.ts'
import { type AnswerBody, bytesOf } from '../../requests/answers/answer-body.ts'
import type { AnswerBudget } from '../../requests/answers/query-answer.ts'
import { formOf, rowPieces } from '../../requests/answers/result-form.ts'
import { addressOfRow } from '../../requests/answers/row-address.ts'
import { bodyInTurns, piecesOf } from '../../requests/answers/text-pieces.ts'
import type { ShownRow } from './shown-row.ts'

const KINDS = ['data', 'lock', 'write', 'rollback', 'guard', 'notify'] as const
type CellKind = (typeof KINDS)[number]

/** A cell as JSON. */
type WrittenCell = {
  readonly column: string
  readonly timestamp: Timestamp
  readonly body: AnswerBody
}

/**
 * `RowCells` of `openapi.yaml`, as JSON: Figure 4 of the paper for one row, family by family. Cells are written and
 * counted as they come, so that a row is refused before all of its versions are held. Rows are written as in any other
 * answer, so that JSON columns keep every digit.
 */
export class RowCells {
  readonly #catalog: Catalog
  readonly #shown: ShownRow
  readonly #budget: AnswerBudget
  readonly #turns: Turns
  readonly #written: Readonly<Record<CellKind, WrittenCell[]>> = {
    data: [],
    lock: [],
    write: [],
    rollback: [],
    guard: [],
    notify: [],
  }

  constructor(
    catalog: Catalog,
    shown: ShownRow,
    { budget, turns }: { readonly budget: AnswerBudget; readonly turns: Turns },
  ) {
    this.#catalog = catalog
    this.#shown = shown
    this.#budget = budget
    this.#turns = turns
  }

  /** Cells in any order. Rejects with `limit_exceeded` where they are too much, and as `Turns.pause`. */
  async add(cells: readonly InspectedCell[]): Promise<void> {
    for (const cell of cells) {
      for (const { kind, column, timestamp, pieces } of shownCells(
        this.#catalog,
        this.#shown,
        cell,
      )) {
        const body = await bodyInTurns(pieces, this.#turns)
        this.#add(kind, { column, timestamp, body })
      }
      if (this.#turns.isDue) await this.#turns.pause()
    }
  }

  /** All that were added, newest first in each column. */
  async body(): Promise<AnswerBody> {
    return bodyInTurns(this.#pieces(), this.#turns)
  }

  #add(kind: CellKind, cell: WrittenCell): void {
    const { body } = cell
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : bytesOf(body)
    this.#budget.take(bytes + SEPARATOR_BYTES)
    this.#written[kind].push(cell)
  }

  *#pieces(): Generator<string | Uint8Array, void, undefined> {
    yield JSON.stringify(this.#shown.name).slice(0, -1)
    for (const kind of KINDS) {
      yield `,"${kind}":[`
      let separator = ''
      for (const { body } of this.#written[kind].sort(compareCells)) {
        yield separator
        if (typeof body === 'string') yield body
        else yield* body
        separator = ','
      }
      yield ']'
    }
    yield '}'
  }
}

const SEPARATOR_BYTES = 1

/** A cell in JSON, in pieces. */
type ShownCell = {
  readonly kind: CellKind
  readonly column: string
  readonly timestamp: Timestamp
  readonly pieces: Iterable<string>
}

/** The cell as it is shown: the value that it has or carries, and the record that it is. */
export function* shownCells(
  catalog: Catalog,
  shown: ShownRow,
  cell: InspectedCell,
  namesFamily = true,
): Generator<ShownCell, void, undefined> {
  const value = valueCellOf(cell)
  if (value !== undefined) {
    const { qualifier: column, timestamp } = value
    yield { kind: 'data', column, timestamp, pieces: valuePieces(shown, value, namesFamily) }
  }
  const { qualifier: column, timestamp, meaning } = cell
  if (meaning.kind === 'data') return
  yield { kind: meaning.kind, column, timestamp, pieces: [recordText(catalog, cell)] }
}

function recordText(catalog: Catalog, cell: InspectedCell): string {
  const { qualifier: column, timestamp, meaning } = cell
  if (meaning.kind === 'lock') return JSON.stringify(lockCell(catalog, cell))
  if (meaning.kind !== 'write') return JSON.stringify({ column, timestamp })
  const kind = kindOf(meaning.content.kind)
  return JSON.stringify({ column, timestamp, kind, startTimestamp: meaning.startTs })
}

function compareCells(a: WrittenCell, b: WrittenCell): number {
  if (a.column === b.column) return b.timestamp - a.timestamp
  return a.column < b.column ? -1 : 1
}

type ValueCell = {
  readonly qualifier: string
  readonly timestamp: Timestamp
  readonly inline: boolean
  readonly value: Uint8Array
}

/** Short values travel inside the lock and the write record; they are data all the same. */
function valueCellOf({ qualifier, timestamp, value, meaning }: InspectedCell) {
  if (meaning.kind === 'data') return { qualifier, timestamp, inline: false, value }
  if (meaning.kind !== 'lock' && meaning.kind !== 'write') return undefined
  const { startTs, content } = meaning.kind === 'lock' ? meaning.lock : meaning
  if (content.kind !== 'inline') return undefined
  return { qualifier, timestamp: startTs, inline: true, value: content.value }
}

function* valuePieces(
  shown: ShownRow,
  { qualifier: column, timestamp, inline, value }: ValueCell,
  namesFamily: boolean,
): Generator<string, void, undefined> {
  yield `${JSON.stringify({ column, timestamp, inline }).slice(0, -1)},`
  yield* decoded(shown, column, value, namesFamily)
  yield '}'
}

/** Members of JSON: the columns that the cell holds; a declared family is named, if that is asked for. */
function* decoded(
  shown: ShownRow,
  column: string,
  value: Uint8Array,
  namesFamily: boolean,
): Generator<string, void, undefined> {
  const held = valuesOrDamage(() => shown.valuesOf(column, value))
  if (held === undefined) {
    yield '"value":"'
    yield* piecesOf(Buffer.from(value).toString('base64'))
    yield '"'
    return
  }
  const { family, columns, values } = held
  yield family === undefined || !namesFamily
    ? '"row":'
    : `"family":${JSON.stringify(family)},"row":`
  yield* rowPieces(formOf(columns, 'number'), values)
}

/** An operator looks here when something is damaged, so damage must not hide the rest. */
function valuesOrDamage<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}

function lockCell(catalog: Catalog, cell: InspectedCell) {
  if (cell.meaning.kind !== 'lock') throw new TypeError('This cell is not a lock.')
  const { lock, isPrimary } = cell.meaning
  return {
    column: cell.qualifier,
    timestamp: cell.timestamp,
    ...lockFacts(catalog, lock),
    isPrimary,
  }
}

/** `Lock` of `openapi.yaml`. */
export function standingLockOf(catalog: Catalog, standing: StandingLock) {
  const { row, column, lock, isPrimary, ownerIsDead } = standing
  return {
    cell: { ...addressOfRow(catalog, row), column },
    timestamp: lock.startTs,
    ...lockFacts(catalog, lock),
    isPrimary,
    ownerIsDead,
  }
}

function lockFacts(catalog: Catalog, lock: StandingLock['lock']) {
  const { primary, incarnation, wallMicros, content } = lock
  return {
    kind: kindOf(content.kind),
    primary: { ...addressOfRow(catalog, primary.row), column: primary.column },
    owner: incarnation,
    lockedAt: new Date(Math.floor(wallMicros / 1000)).toISOString(),
  }
}

/** A put is stored inline or as a data cell; both are shown as puts. */
function kindOf(content: 'inline' | 'data' | 'delete' | 'guard'): 'put' | 'delete' | 'guard' {
  return content === 'inline' || content === 'data' ? 'put' : content
}
