// SPDX-License-Identifier: Apache-2.0
import { jsonOfText, readStamp, toldBuild, valueToJson } from '../../../../planner/planner.ts'
import type { Timestamp } from '../../../../storage/storage.ts'
import {
  type ColumnDefault,
  type ColumnDefinition,
  columnPosition,
  type IndexDefinition,
  type KeyPart,
  type ObserverDefinition,
  requireTable,
  type TableDefinition,
} from '../../../../storage/tables/tables.ts'
import { pathText, type SqlType, type SqlValue } from '../../../../storage/values/values.ts'
import type { OpaqueIds } from '../../../guard/access/opaque-ids.ts'
import { HISTORY_HEADER, namedHistory } from '../../../guard/history/request-history.ts'
import { withCreation } from '../../../requests/transactions/table-creation.ts'
import { inSnapshot, type Snapshot } from '../../../snapshot.ts'
import { answerReadTimestamp } from '../answers/transaction-answers.ts'
import type { RouteDependencies } from '../dependencies.ts'
import { listedUntilVisible } from '../listed-work.ts'
import type { CheckedRequest, Handlers } from '../openapi/binding.ts'
import { minTimestampOf } from './row-parameters.ts'

export function tableRoutes(deps: RouteDependencies): Handlers {
  const { storage, ended, access, opaqueIds } = deps
  const read = <T>(
    { parameters, reply }: CheckedRequest,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> =>
    ended.counted(async () => {
      const moment = momentOf(parameters.asOf)
      const principal = access.of(reply.request.raw)
      await listedUntilVisible(deps, reply, {
        ...minTimestampOf(parameters),
        ...namedHistory(parameters[HISTORY_HEADER]),
        asOf: moment,
      })
      try {
        return await inSnapshot(storage, moment, ({ transaction, catalog }) =>
          work({ transaction, catalog: access.viewOf(principal, catalog) }),
        )
      } catch (error) {
        throw await withCreation(error, { storage, access }, principal, moment)
      }
    })
  return {
    async listTables(request) {
      return read(request, async ({ catalog, transaction }) => {
        answerReadTimestamp(request.reply, transaction.startTs)
        const tables: object[] = []
        for (const table of catalog.tables()) {
          tables.push(await tableOf(table, { transaction, catalog }, opaqueIds))
        }
        return { tables }
      })
    },

    async getTable(request) {
      return read(request, async ({ catalog, transaction }) => {
        answerReadTimestamp(request.reply, transaction.startTs)
        const table = requireTable(catalog, String(request.parameters.table))
        return tableOf(table, { transaction, catalog }, opaqueIds)
      })
    },
  }
}

/** What `asOf` says, if it is given. */
function momentOf(asOf: unknown): Timestamp | undefined {
  return asOf === undefined ? undefined : readStamp('AS OF', asOf)
}

/** `Table` of `openapi.yaml`. */
async function tableOf(table: TableDefinition, snapshot: Snapshot, ids: OpaqueIds) {
  const indexes: object[] = []
  for (const index of table.indexes) indexes.push(await indexOf(table, index, snapshot))
  return {
    name: table.name,
    id: ids.of('table', table.id),
    columns: table.columns.map((column) => columnOf(table, column)),
    primaryKey: table.primaryKey.map((part) => keyPartOf(table, part)),
    families: table.families.map(({ id, name }) => ({
      name,
      columns: table.columns.filter(({ family }) => family === id).map((column) => column.name),
    })),
    indexes,
    observers: table.observers.map((observer) => observerOf(table, observer)),
    checks: table.checks.map(({ name, text, state }) => ({ name, condition: text, state })),
  }
}

/** `TableObserver` of `openapi.yaml`. */
function observerOf(table: TableDefinition, observer: ObserverDefinition) {
  const { name, isWeak, columns, due, state, isBackfilled } = observer
  return {
    name,
    weak: isWeak,
    columns: columns.map((id) => nameOfColumn(table, id)),
    ...(due !== undefined && { due: nameOfColumn(table, due) }),
    state,
    backfilled: isBackfilled,
  }
}

/** `TableIndex` of `openapi.yaml`; how far it is built is only asked while it is. */
async function indexOf(table: TableDefinition, index: IndexDefinition, snapshot: Snapshot) {
  const { name, unique, state } = index
  return {
    name,
    unique,
    columns: index.parts.map((part) => keyPartOf(table, part)),
    storing: index.storing.map((id) => nameOfColumn(table, id)),
    state,
    ...(await toldBuild({ table, index }, snapshot)),
  }
}

/** `KeyColumn` of `openapi.yaml`. */
function keyPartOf(table: TableDefinition, { columnId, descending, path, each }: KeyPart) {
  return {
    column: nameOfColumn(table, columnId),
    ...(path && { path: pathText(path, each === 'members' ? '>' : '>>') }),
    ...(each === 'members' && { each: true }),
    ...(each === 'words' && { words: true }),
    descending,
  }
}

function nameOfColumn(table: TableDefinition, columnId: number): string | undefined {
  return table.columns[columnPosition(table, columnId)]?.name
}

function columnOf(
  table: TableDefinition,
  { name, type, size, notNull, family, default: byDefault }: ColumnDefinition,
) {
  const named = table.families.find(({ id }) => id === family)
  const ofFamily = named === undefined ? {} : { family: named.name }
  const column = { name, type, ...size, notNull, ...ofFamily }
  if (byDefault === undefined) return column
  return { ...column, default: describedDefault(type, byDefault) }
}

function describedDefault(type: SqlType, byDefault: ColumnDefault) {
  switch (byDefault.kind) {
    case 'literal':
      return { value: describedValue(type, byDefault.value) }
    case 'identity':
      return { identity: byDefault.isAlways ? 'always' : 'byDefault' }
    default:
      return { function: byDefault.kind }
  }
}

/** With every digit of JSON. */
function describedValue(type: SqlType, value: SqlValue): unknown {
  const isJson = type === 'JSON' && value !== null
  return isJson ? jsonOfText(value as string, 'all') : valueToJson(type, value)
}
