// SPDX-License-Identifier: Apache-2.0
import { FAMILIES, type Row, type Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { isNoteRow } from '../../cells/note.ts'
import type { RowFilter } from '../../cells/row-filter.ts'
import type { Catalog } from '../../tables/catalog/catalog.ts'
import { type CheckedCatalog, checkCatalog } from './catalog-check.ts'
import { checkHistory } from './column-history.ts'
import { ConsistencyFindings, type ConsistencyReport } from './consistency-report.ts'
import { checkHistoryRows } from './history-check.ts'
import { IndexCheck } from './index-check.ts'
import { LogCheck } from './log-check.ts'
import { checkValues, type StoredValue, VALUES_READ_TOGETHER } from './long-values.ts'
import { checkAcknowledgments, checkNotifications } from './observation-check.ts'
import { checkPrimary } from './primary-check.ts'
import { readRowImage } from './row-image.ts'
import {
  checkRowKey,
  checkValue,
  idOfMeaning,
  meaningOfRow,
  type RowMeaning,
} from './row-meaning.ts'
import { checkPlainRow, isPlainRow, readFences, TimestampCheck } from './store-rows.ts'

export type ConsistencyCheckOptions = {
  /** Ends the check early: it then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Called now and then with the number of rows checked. */
  readonly onProgress?: (rows: number) => void
}

/** A new timestamp, after which no older one can be issued; used for a store in use. */
export type TakeTimestamp = () => Promise<Timestamp>

const PROGRESS_ROWS = 10_000

/** All families except long values, of which a row may have more than memory holds. */
const ROW_FILTER: RowFilter = FAMILIES.map((family) =>
  family === 'data' ? { family, newest: VALUES_READ_TOGETHER } : { family },
)

/**
 * Checks every cell of the store against the invariants of `storage/DESIGN.md`, and changes nothing. The store may be
 * written meanwhile: a row is read as one atomic image, what a lock's primary says is read after the lock was, and the
 * oracle's mark after the cell was. So a problem that is reported is one, and a cell that is written after the check
 * has passed it is left to the next one.
 *
 * Rejects with CellStoreError.
 */
export async function checkConsistency(
  cellStore: CellStore,
  options: ConsistencyCheckOptions = {},
  takeTimestamp?: TakeTimestamp,
): Promise<ConsistencyReport> {
  const findings = new ConsistencyFindings()
  return findings.report(await findInconsistencies(cellStore, findings, options, takeTimestamp))
}

/** The same, into findings of the caller, which keeps them even if the store fails in between. */
export async function findInconsistencies(
  cellStore: CellStore,
  findings: ConsistencyFindings,
  { signal, onProgress }: ConsistencyCheckOptions,
  takeTimestamp: TakeTimestamp = () => newestOf(cellStore),
): Promise<Catalog> {
  const log = await LogCheck.open(cellStore)
  const check = new StoreCheck(cellStore, findings, log, await checkCatalog(cellStore, findings))
  findings.add(...(await checkHistoryRows(cellStore)))
  const scan = { start: new Uint8Array(), filter: ROW_FILTER }
  for await (const row of cellStore.scanRows(signal === undefined ? scan : { ...scan, signal })) {
    await check.checkRow(row)
    if (findings.rows % PROGRESS_ROWS === 0) onProgress?.(findings.rows)
  }
  const { catalog } = check
  await new IndexCheck(cellStore, await takeTimestamp(), findings, signal).check(catalog)
  return catalog
}

/** Nothing writes, so everything in the store is from before the mark. */
async function newestOf(cellStore: CellStore): Promise<Timestamp> {
  return Math.min((await readFences(cellStore)).mark, Number.MAX_SAFE_INTEGER - 1)
}

class StoreCheck {
  readonly #cellStore: CellStore
  readonly #findings: ConsistencyFindings
  readonly #timestamps: TimestampCheck
  readonly #log: LogCheck
  #checked: CheckedCatalog

  constructor(
    cellStore: CellStore,
    findings: ConsistencyFindings,
    log: LogCheck,
    checked: CheckedCatalog,
  ) {
    this.#cellStore = cellStore
    this.#findings = findings
    this.#log = log
    this.#checked = checked
    this.#timestamps = new TimestampCheck(cellStore)
  }

  get catalog(): Catalog {
    return this.#checked.catalog
  }

  async checkRow(row: Row): Promise<void> {
    this.#findings.rows += 1
    const isLog = isNoteRow(row.key)
    const isPlain = isLog || isPlainRow(row.key)
    for (const { family } of row.cells) {
      if (family !== 'data' || isPlain) this.#findings.countCells(family, 1)
    }
    if (isLog) {
      this.#findings.add(...(await this.#timestamps.check(row)))
      this.#findings.add(...(await this.#log.checkEntry(row)))
    } else if (isPlain) this.#findings.add(...checkPlainRow(row))
    else await this.#checkTransactionalRow(row)
  }

  async #checkTransactionalRow(row: Row): Promise<void> {
    const cellStore = this.#cellStore
    const findings = this.#findings
    const image = readRowImage(row)
    findings.add(...image.problems, ...checkHistory(image))
    findings.add(...(await this.#timestamps.check(row)))
    findings.add(...(await this.#log.checkVersions(image)))
    for (const locking of image.locks) {
      findings.add(...(await checkPrimary(cellStore, row.key, locking)))
    }
    const meaning = await this.#meaningOf(row.key)
    findings.add(...checkRowKey(this.#checked, meaning, row.key))
    findings.add(...(await this.#checkNotifications(row, meaning)), ...checkAcknowledgments(image))
    for await (const value of checkValues(cellStore, image, findings)) {
      findings.add(...(await this.#checkValue(meaning, row.key, value)))
    }
    const versions = image.intervals.filter(({ content }) => content.kind !== 'guard').length
    if (meaning.kind === 'table') findings.countRow(meaning.tableId, versions)
  }

  /** A table or index that is not known may have been created since the catalog was read. */
  async #meaningOf(key: Uint8Array) {
    const meaning = meaningOfRow(this.#checked, key)
    const id = idOfMeaning(meaning)
    if (id === undefined || id < this.#checked.nextId) return meaning
    const again = await checkCatalog(this.#cellStore, new ConsistencyFindings())
    if (again.nextId > id) this.#checked = again
    return meaningOfRow(this.#checked, key)
  }

  /** As with tables, an observer that is not known may have been created meanwhile. */
  async #checkNotifications(row: Row, meaning: RowMeaning) {
    const problems = checkNotifications(row, meaning, this.#checked.nextId)
    if (problems.length === 0) return problems
    const again = await checkCatalog(this.#cellStore, new ConsistencyFindings())
    return checkNotifications(row, meaning, again.nextId)
  }

  /** A value that cannot be read may be of columns that were added, or changed, since the catalog was read. */
  async #checkValue(meaning: RowMeaning, key: Uint8Array, value: StoredValue) {
    const problems = checkValue(meaning, key, value)
    if (problems.length === 0 || meaning.kind !== 'table' || meaning.table === undefined) {
      return problems
    }
    const again = await checkCatalog(this.#cellStore, new ConsistencyFindings())
    const now = meaningOfRow(again, key)
    if (now.kind !== 'table' || now.table === undefined) return problems
    this.#checked = again
    return checkValue(now, key, value)
  }
}
