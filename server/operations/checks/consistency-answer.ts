// SPDX-License-Identifier: Apache-2.0

import type {
  ConsistencyProblem,
  ConsistencyReport,
} from '../../../storage/operations/operations.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import { addressOfRow, type RowAddress } from '../../requests/answers/row-address.ts'

/** `ConsistencyReport` of `openapi.yaml`, which `percolite check --json` prints too. */
export type ConsistencyAnswer = ReturnType<typeof consistencyAnswer>

export function consistencyAnswer(report: ConsistencyReport) {
  const { catalog, problemCount, rows, cells, tables, droppedTables, orphanedValues } = report
  const counts = { rows, cells, tables, droppedTables, orphanedValues, problemCount }
  const problems = report.problems.map((problem) => problemOf(catalog, problem))
  return { sound: problemCount === 0, ...counts, problems }
}

function problemOf(catalog: Catalog, { rule, message, row, cell }: ConsistencyProblem) {
  const named = row === undefined ? {} : { row: addressOf(catalog, row) }
  return { rule, message, ...named, ...(cell === undefined ? {} : { cell }) }
}

/** Which cannot be read is named by its bytes. */
function addressOf(catalog: Catalog, row: Uint8Array): RowAddress {
  try {
    return addressOfRow(catalog, row)
  } catch {
    return { rowKey: Buffer.from(row).toString('base64') }
  }
}

/** For people: the counts, then each problem on a line. */
export function consistencyText(answer: ConsistencyAnswer): string {
  const { rows, cells, tables, droppedTables, orphanedValues, problemCount, problems } = answer
  const families = Object.entries(cells).map(([family, count]) => `${count} ${family}`)
  const lines = [`${rows} rows, cells: ${families.join(', ')}`]
  for (const { name, rows, versions, indexes } of tables) {
    lines.push(`table ${name}: ${rows} rows, ${versions} versions`)
    for (const index of indexes) {
      lines.push(`  index ${index.name}: ${index.state}, ${index.entries} entries`)
    }
  }
  if (droppedTables.rows > 0) lines.push(`dropped tables: ${droppedTables.rows} rows`)
  if (orphanedValues > 0) lines.push(`values that nothing names: ${orphanedValues}`)
  for (const { rule, message, row, cell } of problems) {
    const position = cell === undefined ? '' : ` ${cell.family} "${cell.column}" @${cell.timestamp}`
    lines.push(`${rule}  ${row === undefined ? 'store' : textOfRow(row)}${position}: ${message}`)
  }
  if (problemCount > problems.length) lines.push(`… and ${problemCount - problems.length} more`)
  lines.push(problemCount === 0 ? 'no problems' : `${problemCount} problems`)
  return lines.map((line) => `${line}\n`).join('')
}

function textOfRow(row: RowAddress): string {
  if ('index' in row) return `index ${row.index} of ${row.table}`
  if ('table' in row) return `${row.table} ${JSON.stringify(row.key)}`
  return 'system' in row ? `system row ${row.system}` : `row key ${row.rowKey}`
}
