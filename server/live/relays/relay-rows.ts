// SPDX-License-Identifier: Apache-2.0
import { type Parser, shownName } from '../../../parser/parser.ts'
import {
  BatchSize,
  type ParseRule,
  planSubscription,
  type SubscriptionPlan,
  WorkMeter,
} from '../../../planner/planner.ts'
import {
  compareRowKeys,
  endOfPrefix,
  type FeedCommit,
  nextTurn,
  type Storage,
  type Transaction,
} from '../../../storage/storage.ts'
import type { AccessRelay, RelayPart } from '../../../storage/tables/access/access.ts'
import {
  ADMIN_ROLE,
  type Catalog,
  decodePrimaryKey,
  getRows,
  scanRows,
  type TableDefinition,
  tableIdOf,
  tableSpace,
} from '../../../storage/tables/tables.ts'
import type { Access } from '../../guard/access/access.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { AnswerWriter } from '../../requests/answers/answer-text.ts'
import { inTransaction } from '../../snapshot.ts'
import { aroundCommit } from '../subscriptions/matching/commit-images.ts'
import { changeText, type RowImages } from '../subscriptions/matching/row-change.ts'

/** The changes of one part, as elements of `changes`. */
export type PartRows = {
  readonly changes: string
  readonly isEmpty: boolean
  /** Where the next part begins, in the form of `RelayPart.from`. */
  readonly end: number | string
  readonly isLast: boolean
}

type Dependencies = {
  readonly storage: Storage
  readonly access: Pick<Access, 'viewOfRole'>
  readonly parser: Pick<Parser, 'parseScript'>
  readonly parseRule: ParseRule
}

/** The rows of a relay's tables, as its role may see them now and as subscriptions send them. */
export class RelayTables {
  readonly #deps: Dependencies
  readonly #writer = new AnswerWriter()
  readonly #plans = new Map<
    number,
    { readonly catalog: Catalog; readonly plan: SubscriptionPlan }
  >()

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /**
   * What a commit changed, from one of its rows on: as much as makes a message, or up to `end` where that is given.
   * Rejects with PlanError where the role may not read one of the tables, with StorageError `snapshot_too_old`, and
   * with CellStoreError.
   */
  async ofCommit(
    relay: AccessRelay,
    { commitTs, rows }: FeedCommit,
    { from, end }: Pick<RelayPart, 'from' | 'end'>,
  ): Promise<PartRows> {
    const own = rows.filter(({ key }) => relay.tables.includes(tableIdOf(key) ?? -1))
    const part = new Part()
    let position = Number(from)
    const stop = end === undefined ? own.length : Number(end)
    await aroundCommit(this.#deps.storage, commitTs, async (before, after) => {
      const catalog = this.#viewFor(relay, await this.#deps.storage.catalog(after))
      const batch = new BatchSize()
      while (position < stop && (end !== undefined || !part.isFull)) {
        const count = end === undefined ? Math.min(batch.rows, part.rowsToFill) : batch.rows
        const keys = own.slice(position, Math.min(stop, position + count))
        const images = await this.#imagesOf(keys, { catalog, before, after, batch })
        for (const image of images) {
          if (end === undefined && part.isFull) break
          part.add(this.#textOf(image))
          position += 1
        }
        await nextTurn()
      }
    })
    return { ...part.rows, end: position, isLast: position >= own.length }
  }

  /** The rows as they were at a moment, as inserts, in the order of their keys. Rejects as `ofCommit`. */
  async ofSnapshot(relay: AccessRelay, { at, from, end }: RelayPart): Promise<PartRows> {
    const { storage } = this.#deps
    const part = new Part()
    const stop = end === undefined ? undefined : Buffer.from(String(end), 'hex')
    return await inTransaction(storage, { readOnly: true, asOf: at }, async (transaction) => {
      const catalog = this.#viewFor(relay, await storage.catalog(transaction))
      for (const table of this.#tablesOf(relay, catalog)) {
        const space = tableSpace(table.id)
        const start = later(space, Buffer.from(String(from), 'hex'))
        const tableEnd = endOfPrefix(space) as Uint8Array
        if (compareRowKeys(start, tableEnd) >= 0) continue
        const plan = this.#planOf(catalog, table)
        for await (const { key, row } of scanRows(transaction, table, { start })) {
          const isOver = stop !== undefined && compareRowKeys(key, stop) >= 0
          if (isOver || (stop === undefined && part.isFull)) {
            const next = Buffer.from(key).toString('hex')
            return { ...part.rows, end: next, isLast: false }
          }
          part.add(this.#textOf({ plan, images: { before: null, after: row } }))
        }
        await nextTurn()
      }
      return { ...part.rows, end: '', isLast: true }
    })
  }

  /** The tables of a relay that are there, in the order of their row keys. */
  #tablesOf({ tables }: AccessRelay, catalog: Catalog): TableDefinition[] {
    return catalog
      .tables()
      .filter(({ id }) => tables.includes(id))
      .sort((a, b) => compareRowKeys(tableSpace(a.id), tableSpace(b.id)))
  }

  /** Throws PlanError where it may not read one of its tables that are there. */
  #viewFor(relay: AccessRelay, catalog: Catalog): Catalog {
    const view = this.#deps.access.viewOfRole(relay.role ?? ADMIN_ROLE, catalog)
    for (const table of this.#tablesOf(relay, catalog)) this.#planOf(view, table)
    return view
  }

  async #imagesOf(
    rows: FeedCommit['rows'],
    at: {
      readonly catalog: Catalog
      readonly before: Transaction
      readonly after: Transaction
      readonly batch: BatchSize
    },
  ): Promise<Image[]> {
    const { catalog, before, after, batch } = at
    const images: Image[] = []
    const positions = rows.map(({ key }, position) => ({ key, position }))
    for (const [id, own] of Map.groupBy(positions, ({ key }) => tableIdOf(key))) {
      const table = catalog.tables().find((one) => one.id === id)
      // A table that is created and dropped again has no rows that anybody could see.
      if (table === undefined) continue
      const plan = this.#planOf(catalog, table)
      const keys = own.map(({ key }) => decodePrimaryKey(table, key))
      const old = await getRows(before, table, keys, plan.tableReads)
      const now = await getRows(after, table, keys, plan.tableReads)
      batch.learn(old)
      batch.learn(now)
      own.forEach(({ position }, index) => {
        const pair = { before: old[index]?.row ?? null, after: now[index]?.row ?? null }
        images[position] = { plan, images: pair }
      })
    }
    return Array.from({ length: rows.length }, (_, position) => images[position] ?? UNSEEN)
  }

  /** Undefined where the role does not see it. */
  #textOf({ plan, images }: Image): string | undefined {
    if (plan === undefined) return undefined
    const form = { writer: this.#writer, integers: 'number' as const, work: new WorkMeter() }
    const text = changeText(plan, images, form)
    return text && `{"table":${JSON.stringify(plan.table.name)},${text.slice(1)}`
  }

  #planOf(catalog: Catalog, table: TableDefinition): SubscriptionPlan {
    const known = this.#plans.get(table.id)
    const isSame =
      known?.catalog.version === catalog.version && known?.catalog.rights === catalog.rights
    if (isSame && known !== undefined) return known.plan
    const { parser, parseRule } = this.#deps
    const [statement] = parser.parseScript(`SCAN * FROM ${shownName(table.name)}`)
    if (statement === undefined) throw new Error(`The table ${table.name} cannot be read.`)
    const plan = planSubscription(statement, catalog, {}, { parseRule, claims: undefined })
    this.#plans.set(table.id, { catalog, plan })
    return plan
  }
}

type Image = { readonly plan: SubscriptionPlan | undefined; readonly images: RowImages }
const UNSEEN: Image = { plan: undefined, images: { before: null, after: null } }

/** Texts that are put together until they make a message. */
class Part {
  #texts: string[] = []
  #bytes = 0

  get isFull(): boolean {
    return this.#bytes >= SERVER_LIMITS.relayPartBytes
  }

  /** About how many rows more it takes, by those that it has. */
  get rowsToFill(): number {
    const { length } = this.#texts
    if (length === 0) return Number.POSITIVE_INFINITY
    return Math.ceil(((SERVER_LIMITS.relayPartBytes - this.#bytes) * length) / this.#bytes)
  }

  get rows(): Pick<PartRows, 'changes' | 'isEmpty'> {
    return { changes: this.#texts.join(','), isEmpty: this.#texts.length === 0 }
  }

  add(text: string | undefined): void {
    if (text === undefined) return
    this.#texts.push(text)
    this.#bytes += text.length
  }
}

function later(a: Uint8Array, b: Uint8Array): Uint8Array {
  return compareRowKeys(a, b) < 0 ? b : a
}
