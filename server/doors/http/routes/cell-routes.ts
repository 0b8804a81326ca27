// SPDX-License-Identifier: Apache-2.0
import { requireTable, type TableDefinition } from '../../../../storage/tables/tables.ts'
import { ServerError, shortened } from '../../../errors/server-error.ts'
import {
  type InspectedRows,
  inspectedRows,
  rowsPieces,
} from '../../../live/cells/inspected-rows.ts'
import { type ShownRow, shownEntry, shownRow } from '../../../live/cells/shown-row.ts'
import { sendableLine } from '../../../requests/answers/answer-body.ts'
import { addressOfRow } from '../../../requests/answers/row-address.ts'
import { bodyInTurns, joinedInTurns } from '../../../requests/answers/text-pieces.ts'
import { readEntryKeyPath, readKeyPath } from '../../../requests/rows/key-path.ts'
import { catalogAt } from '../../../snapshot.ts'
import type { RouteDependencies } from '../dependencies.ts'
import { askerOf, listedWork } from '../listed-work.ts'
import type { CheckedRequest, Handlers } from '../openapi/binding.ts'

/** What lies below the rows: their cells, and those of index entries. */
export function cellRoutes({ storage, requests, audit }: RouteDependencies): Handlers {
  const inspect = async (
    { parameters, reply }: CheckedRequest,
    rowsOf: (table: TableDefinition) => readonly ShownRow[],
    answerOf: (inspected: InspectedRows) => Iterable<string | Uint8Array>,
  ) => {
    const catalog = await catalogAt(storage)
    const table = requireTable(catalog, String(parameters.table))
    const rows = rowsOf(table)
    return listedWork(requests, reply, async (running) => {
      const { turns } = running
      audit.inspected(running, table.name)
      const read = (of: readonly Uint8Array[]) => storage.inspection.rows(of)
      const inspected = await inspectedRows(catalog, rows, { read, running })
      const body = await bodyInTurns(answerOf(inspected), turns)
      return sendableLine(await joinedInTurns(body, turns))
    })
  }
  return {
    async getCells(request) {
      const { key } = request.parameters
      const rowsOf = (table: TableDefinition) => [shownRow(table, readKeyPath(table, String(key)))]
      return inspect(request, rowsOf, onlyRow)
    },

    async getCellsOfRows(request) {
      const keys = request.parameters.key as readonly string[]
      const rowsOf = (table: TableDefinition) =>
        keys.map((key) => shownRow(table, readKeyPath(table, key)))
      return inspect(request, rowsOf, allRows)
    },

    async getCellsOfEntry(request) {
      const { index: name, key } = request.parameters
      const rowsOf = (table: TableDefinition) => {
        const index = table.indexes.find((known) => known.name === name)
        if (index === undefined) throw unknownIndex(table.name, String(name))
        return [shownEntry(table, index, readEntryKeyPath(table, index, String(key)))]
      }
      return inspect(request, rowsOf, onlyRow)
    },

    async killCommit({ parameters, reply }) {
      const { inspection } = storage
      if (!inspection.isPaced) throw notPaced()
      const id = String(parameters.transaction)
      const stopped = inspection.killCommit(
        /^\d{1,16}(?=\.|$)/.test(id) ? Number.parseInt(id, 10) : 0,
      )
      if (stopped === undefined) throw notCommitting(id)
      const { startTs: transaction, last } = stopped
      audit.interrupted(askerOf(requests, reply.request), { transaction: String(transaction) })
      if (last === undefined) return { transaction }
      const address = addressOfRow(await catalogAt(storage), last.row)
      return { transaction, step: last.step, ...address }
    },
  }
}

function notPaced(): ServerError {
  return new ServerError(
    'not_enabled',
    'Commits can be made to stand still only where they are slowed down: start the server with --step-delay.',
    { flag: '--step-delay' },
  )
}

function notCommitting(id: string): ServerError {
  return new ServerError(
    'unknown_transaction',
    `The transaction ${shortened(id)} is not committing at this moment.`,
  )
}

function onlyRow({ bodies: [body = ''] }: InspectedRows): Iterable<string | Uint8Array> {
  return typeof body === 'string' ? [body] : body
}

function* allRows(inspected: InspectedRows): Generator<string | Uint8Array, void, undefined> {
  yield '{'
  yield* rowsPieces(inspected)
}

function unknownIndex(table: string, index: string): ServerError {
  return new ServerError('unknown_index', `The table ${table} has no index ${shortened(index)}.`, {
    table,
    index: shortened(index),
  })
}
