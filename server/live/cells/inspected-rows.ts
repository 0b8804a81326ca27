// SPDX-License-Identifier: Apache-2.0

import type { Storage, Timestamp } from '../../../storage/storage.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import type { AnswerBody } from '../../requests/answers/answer-body.ts'
import { AnswerBudget } from '../../requests/answers/query-answer.ts'
import type { RunningRequest } from '../../requests/prepared/running-request.ts'
import { RowCells } from './row-cells.ts'
import type { ShownRow } from './shown-row.ts'

/** The cells of some rows, each as `RowCells` of `openapi.yaml`, in the order of the rows. */
export type InspectedRows = {
  readonly timestamp: Timestamp
  readonly bodies: readonly AnswerBody[]
}

/** How the cells are read: by `Inspection`. */
type Read = (keys: readonly Uint8Array[]) => ReturnType<Storage['inspection']['rows']>

/**
 * Reads all cells of these rows. Rejects with `limit_exceeded` where they are more than one answer, with
 * CellStoreError, and as `Turns.pause`.
 */
export async function inspectedRows(
  catalog: Catalog,
  rows: readonly ShownRow[],
  { read, running }: { readonly read: Read; readonly running: RunningRequest },
): Promise<InspectedRows> {
  const { turns } = running
  if (!turns.mayBegin) await turns.begin()
  const budget = new AnswerBudget(running)
  const cells = rows.map((row) => new RowCells(catalog, row, { budget, turns }))
  const { timestamp, parts } = await read(rows.map(({ rowKey }) => rowKey))
  for await (const part of parts) await cells[part.at]?.add(part.cells)
  const bodies: AnswerBody[] = []
  for (const one of cells) bodies.push(await one.body())
  return { timestamp, bodies }
}

/** `{timestamp, rows}` without its first brace, in pieces. */
export function* rowsPieces({
  timestamp,
  bodies,
}: InspectedRows): Generator<string | Uint8Array, void, undefined> {
  yield `"timestamp":${timestamp},"rows":[`
  let separator = ''
  for (const body of bodies) {
    yield separator
    if (typeof body === 'string') yield body
    else yield* body
    separator = ','
  }
  yield ']}'
}
