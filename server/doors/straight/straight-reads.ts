// SPDX-License-Identifier: Apache-2.0
import type { GetStatement, ScanStatement } from '../../../parser/ast.ts'
import {
  meetsPointRule,
  type Parameters,
  type Plan,
  type PointRead,
  pointReadOf,
} from '../../../planner/planner.ts'
import type { Clock, Storage, TurnSnapshot } from '../../../storage/storage.ts'
import type { Catalog, StoredRow } from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import type { Access } from '../../guard/access/access.ts'
import type { ShapeFigures } from '../../operations/statistics/shape-figures.ts'
import type {
  CountedStatement,
  StatementStatistics,
} from '../../operations/statistics/statement-statistics.ts'
import { FORMAT_TYPES } from '../../requests/answers/answer-format.ts'
import { formOf, type ResultForm, rowText } from '../../requests/answers/result-form.ts'
import { WrittenRows } from '../../requests/answers/written-rows.ts'
import type { RunningRequests } from '../../requests/prepared/running-requests.ts'
import { readKeyPath } from '../../requests/rows/key-path.ts'
import { getRow } from '../../requests/rows/row-statements.ts'
import { representationOf, tagOf } from '../../requests/rows/row-version.ts'
import type { PlanCache } from '../../requests/statements/plan-cache.ts'
import type { EndedTransactions } from '../../requests/transactions/ended-transactions.ts'
import type { ReadyAnswer } from '../http/answers/outbox.ts'
import { READ_TIMESTAMP_HEADER } from '../http/answers/transaction-answers.ts'
import { type KnownQuery, valuesOfKnown } from './known-query.ts'
import type { SeenHead } from './seen-heads.ts'
import { rowsInTurn, type StraightScan, straightScan } from './straight-scans.ts'

type ReadsDependencies = {
  readonly storage: Storage
  readonly plans: PlanCache
  readonly access: Pick<Access, 'viewOf'>
  readonly requests: RunningRequests
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly ended: EndedTransactions
  readonly statistics: StatementStatistics | undefined
}

/** What is decided of a point read, and for which statistics it is counted. */
type StraightRead = PointRead & {
  /** Whether its result is the row as it is. */
  readonly isWhole: boolean
  readonly form: ResultForm
  /** Whether it is the rows door's, and no statement. */
  readonly isOfRows: boolean
  /** All of the entity tag of the whole row but its commit. */
  readonly tag: string
  readonly counted: CountedStatement
  figures: ShapeFigures | undefined
}

const ROWS_AT = '/v1/tables/'.length
const ROWS = '/rows/'

/** Reads of one row by its primary key, each in the turn in which it has arrived. */
export class StraightReads {
  readonly #deps: ReadsDependencies
  readonly #byPlan = new WeakMap<Plan, StraightRead | StraightScan | null>()
  /** Of the rows door, by the catalog as the caller sees it and the name of the table. */
  readonly #byTable = new WeakMap<Catalog, Map<string, StraightRead | null>>()

  constructor(deps: ReadsDependencies) {
    this.#deps = deps
  }

  /** The answer to a GET of one row or a SCAN of few; undefined where it is neither, or has to wait for a commit. */
  query(
    statement: GetStatement | ScanStatement,
    request: KnownQuery,
    head: SeenHead,
  ): ReadyAnswer | undefined {
    if (statement.asOf !== undefined || statement.into !== undefined) return undefined
    const { access, storage, requests } = this.#deps
    // Others may wait for their turn, or this one may have lasted long.
    const began = requests.turnQueue.isFreeFor(true) ? storage.turnReads?.snapshot() : undefined
    if (began === undefined) return undefined
    const { principal } = head.caller
    const catalog =
      principal === undefined ? began.catalog : access.viewOf(principal, began.catalog)
    const plan = this.#deps.plans.plan(statement, catalog)
    let read = this.#byPlan.get(plan)
    if (read === undefined) {
      const running = { operation: 'query', statements: () => [request.sql] }
      const entry = { statement, parameters: NO_PARAMETERS, index: 0 }
      const counted = { plan, entry, running, catalog }
      read = straightRead(counted, false) ?? straightScan(counted)
      this.#byPlan.set(plan, read)
    }
    const given = read === null ? undefined : valuesOfKnown(read.given, request)
    if (read === null || given === undefined) return undefined
    const found = this.#found(read, given, began, head)
    if (found === undefined) return undefined
    const { form } = read
    const { readTs } = began
    const rows = found instanceof WrittenRows ? found.text : textOf(read as StraightRead, found)
    const rest = `],"rowsAffected":0}],"readTimestamp":${readTs},"attempts":1}\n`
    return {
      status: 200,
      headers: ['Content-Type', FORMAT_TYPES.json, READ_TIMESTAMP_HEADER, String(readTs)],
      body: `{"results":[{"columns":${form.columns},"rows":[${rows}${rest}`,
    }
  }

  /** The answer to `GET /v1/tables/{table}/rows/{key}`; undefined where the general way has to make it. */
  row(url: string, head: SeenHead): ReadyAnswer | undefined {
    const tableEnd = url.indexOf('/', ROWS_AT)
    const keyAt = tableEnd + ROWS.length
    if (tableEnd < 0 || !url.startsWith(ROWS, tableEnd) || !IS_PLAIN_PATH.test(url))
      return undefined
    // A column of the row follows.
    if (url.includes('/', keyAt)) return undefined
    const { access, storage, requests } = this.#deps
    // Others may wait for their turn, or this one may have lasted long.
    const began = requests.turnQueue.isFreeFor(true) ? storage.turnReads?.snapshot() : undefined
    if (began === undefined) return undefined
    const { principal } = head.caller
    const catalog =
      principal === undefined ? began.catalog : access.viewOf(principal, began.catalog)
    const read = this.#readOf(catalog, url.slice(ROWS_AT, tableEnd))
    if (!read) return undefined
    const key = readKeyPath(read.table, url.slice(keyAt))
    const found = this.#found(read, key, began, head)
    if (!found || found instanceof WrittenRows) return undefined
    const { form, tag } = read
    const etag = tagOf(found.commitTs as number, tag)
    return {
      status: 200,
      headers: [
        ...['Content-Type', FORMAT_TYPES.json, READ_TIMESTAMP_HEADER, String(began.readTs)],
        ...['ETag', etag],
      ],
      body: `${rowText(form, found.row)}\n`,
    }
  }

  #found(
    read: StraightRead | StraightScan,
    given: readonly SqlValue[],
    snapshot: TurnSnapshot,
    { isRated, caller: { client, principal } }: SeenHead,
  ): StoredRow | WrittenRows | null | undefined {
    const { storage, requests, statistics, clock, ended } = this.#deps
    const beganMs = statistics === undefined ? 0 : clock.monotonicMs()
    let found: StoredRow | WrittenRows | null | undefined
    let rowCount: number
    if ('handedOn' in read) {
      found = rowsInTurn(read, given, snapshot, storage.turnReads)
      if (found === undefined) return undefined
      rowCount = found.rowCount
    } else {
      found = storage.turnReads?.row(read.table, given, read.reads, snapshot)
      if (found === undefined) return undefined
      const { rule } = read
      const isSeen =
        found !== null && (rule === undefined || meetsPointRule(rule, found.row, principal?.claims))
      if (!isSeen) found = null
      rowCount = isSeen ? 1 : 0
      // What the rows door says of a row that is not there is said by the general way.
      if (!isSeen && read.isOfRows) return undefined
    }
    // What is answered here is counted here, and the rest by who lets it in.
    if (isRated && requests.rateRefusal(principal, () => client) !== undefined) return undefined
    if (statistics !== undefined) {
      read.figures = statistics.figuresOf(read.counted, read.figures)
      read.figures.ran(clock.monotonicMs() - beganMs, rowCount, 0)
    }
    ended.committed(null)
    return found
  }

  #readOf(catalog: Catalog, name: string): StraightRead | null | undefined {
    const known = this.#byTable.get(catalog)?.get(name)
    if (known !== undefined) return known
    const table = catalog.table(name)
    if (table === undefined) return undefined
    const statement = getRow(table)
    const plan = this.#deps.plans.plan(statement, catalog)
    const entry = { statement, parameters: NO_PARAMETERS, index: 0 }
    const running = { operation: 'getRow', statements: () => [] }
    const read = straightRead({ plan, entry, running, catalog }, true)
    const tables = this.#byTable.get(catalog) ?? new Map<string, StraightRead | null>()
    this.#byTable.set(catalog, tables.set(name, read))
    return read
  }
}

const NO_PARAMETERS: Parameters = []

/** The row, with the columns of the result in their order; nothing where there is none. */
function textOf({ form, places, isWhole }: StraightRead, found: StoredRow | null): string {
  if (found === null) return ''
  const { row } = found
  if (isWhole) return rowText(form, row)
  const values: SqlValue[] = []
  for (const place of places) values.push(row[place] as SqlValue)
  return rowText(form, values)
}

/** What percent-encoding and a query could hide is left to the general way. */
const IS_PLAIN_PATH = /^[\w./~,:@-]+$/

function straightRead(counted: CountedStatement, isOfRows: boolean): StraightRead | null {
  const read = pointReadOf(counted.plan)
  if (read === undefined) return null
  const form = formOf(read.columns, 'number')
  const tag = representationOf(read.table, { integers: 'number', isDescribed: false })
  const { places, table } = read
  const isWhole =
    places.length === table.columns.length && places.every((place, at) => place === at)
  return { ...read, isWhole, isOfRows, form, tag, counted, figures: undefined }
}
