// SPDX-License-Identifier: Apache-2.0

import { timeText } from '../../../storage/storage.ts'
import { type Catalog, requireTable } from '../../../storage/tables/tables.ts'
import { addressOfRow } from '../../requests/answers/row-address.ts'
import type { ConflictLog, LoggedConflict } from './conflict-log.ts'
import type { RowCount } from './row-sketch.ts'

type Request = { readonly limit: number; readonly table: string | undefined }

/** `ConflictList` of `openapi.yaml`. Throws `unknown_table`. */
export function conflictListOf(log: ConflictLog, catalog: Catalog, request: Request) {
  if (request.table !== undefined) requireTable(catalog, request.table)
  const { sinceMicros: hotSince, rows } = log.hot()
  return {
    since: timeText(log.sinceMicros),
    total: log.total,
    recent: shown(log.recent(), (conflict) => conflictOf(conflict, catalog), request),
    hotSince: timeText(hotSince),
    hot: shown(rows, (count) => hotRowOf(count, catalog), request),
  }
}

/** The first ones that are of the table that was asked for. Only those are named that are looked at. */
function shown<From, To extends object>(
  all: Iterable<From>,
  answerOf: (one: From) => To,
  { limit, table }: Request,
): To[] {
  const answers: To[] = []
  for (const one of all) {
    if (answers.length >= limit) break
    const answer = answerOf(one)
    if (table === undefined || ('table' in answer && answer.table === table)) answers.push(answer)
  }
  return answers
}

function conflictOf(conflict: LoggedConflict, catalog: Catalog) {
  const { at, kind, met, row, loser, winner, attempt, retried } = conflict
  const address = row === undefined ? {} : addressOfRow(catalog, row)
  const against = winner === undefined ? {} : { winner }
  return { at, ...address, kind, met, loser, ...against, attempt, retried }
}

function hotRowOf({ row, conflicts, overcount, retried, lastAt }: RowCount, catalog: Catalog) {
  const lost = Math.max(0, conflicts - retried)
  return { ...addressOfRow(catalog, row), conflicts, overcount, lost, lastAt }
}
