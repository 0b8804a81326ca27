// SPDX-License-Identifier: Apache-2.0

import type { SeenStep } from '../../../storage/storage.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import { shownCells } from './row-cells.ts'
import type { ShownRow } from './shown-row.ts'

/** A longer value is not in the frame of a step, which is written in one turn: it is found among the cells. */
const STEP_VALUE_BYTES_MAX = 64 * 1024

/** The fields of a `step` frame behind its id: a comma, and what follows it. `wallMs` is the time of now. */
export function stepFields(
  { catalog, rows }: { readonly catalog: Catalog; readonly rows: readonly ShownRow[] },
  { at, step, transaction, set, erased }: SeenStep,
  wallMs: number,
): string {
  const shown = rows[at] as ShownRow
  const head = JSON.stringify({
    at: new Date(wallMs).toISOString(),
    key: shown.name.key,
    transaction,
    step,
  })
  const cells = set.flatMap((cell) =>
    cell.value.length > STEP_VALUE_BYTES_MAX
      ? [JSON.stringify(longCell(cell))]
      : [...shownCells(catalog, shown, cell, false)].map(({ kind, pieces }) => {
          const text = [...pieces].join('')
          return `{"family":"${kind}",${text.slice(1)}`
        }),
  )
  const ranges = erased.map(({ family, qualifier: column, timestamps }) => {
    const { from, until } = timestamps
    const isOne = from !== undefined && until === from + 1
    return isOne ? { family, column, timestamp: from } : { family, column, from, until }
  })
  return `,${head.slice(1, -1)},"set":[${cells.join(',')}],"erased":${JSON.stringify(ranges)}}`
}

function longCell({ family, qualifier: column, timestamp, value }: SeenStep['set'][number]) {
  return { family, column, timestamp, bytes: value.length }
}
