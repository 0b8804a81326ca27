// SPDX-License-Identifier: Apache-2.0
import { hasPrefix } from '../../../storage/cells/row-key.ts'
import { CATALOG_TABLE_PREFIX } from '../../../storage/tables/bytes/catalog-codec.ts'
import { familyIds } from '../../../storage/tables/bytes/row-codec.ts'
import { decodeTable } from '../../../storage/tables/bytes/table-codec.ts'
import {
  decodeIdentity,
  IDENTITY_PREFIX,
  type IdentityCounter,
} from '../../../storage/tables/catalog/identity-row.ts'
import { identityOf } from '../../../storage/tables/identity-column.ts'
import { storedRow } from '../../../storage/tables/rows/table-rows.ts'
import type { TableDefinition } from '../../../storage/tables/table-definition.ts'
import { tableSpace } from '../../../storage/tables/tables.ts'
import type { Counters } from '../sometimes.ts'
import { keyOfRow } from '../workloads/client-transaction.ts'
import { TICKET } from '../workloads/identity-workload.ts'
import type { CommitLog, LoggedCommit } from './commit-log.ts'
import type { Violations } from './violations.ts'

type Counted = IdentityCounter & { readonly commitTs: number }
type Ticket = { readonly number: bigint; readonly commitTs: number }

/**
 * T5, by the log of what the store took: no number of a series is in two rows, none is below the first of its series,
 * and none is of a block that had not been committed when the row was.
 */
export function checkIdentities(
  log: CommitLog,
  { violations, counters }: { readonly violations: Violations; readonly counters: Counters },
): void {
  const counts = countersOf(log)
  const rows = ticketsOf(log)
  countBlocks(counts, rows, counters)
  const starts = new Map<number, bigint>()
  for (const { series, next } of counts) if (!starts.has(series)) starts.set(series, next)
  const seen = new Map<string, Ticket>()
  for (const ticket of rows) {
    const { number, commitTs } = ticket
    const report = (what: string) =>
      violations.add('identity', `number ${number} of the row at ${commitTs} ${what}`)
    const counter = counts.findLast((one) => one.commitTs < commitTs)
    if (counter === undefined) {
      report('is of no series')
      continue
    }
    const { series, next } = counter
    const name = `${series} ${number}`
    const other = seen.get(name)
    if (other !== undefined) report(`is that of the row at ${other.commitTs} as well`)
    seen.set(name, ticket)
    if (number >= next) report(`had been taken by nobody, as ${next} was next`)
    const start = starts.get(series) as bigint
    if (number < start) report(`is below ${start}, from which its series ${series} began`)
  }
  counters.count('row with a number of its table', rows.length)
}

/** What a look at the rows says nothing of: whether there was anything to see. */
function countBlocks(
  counts: readonly Counted[],
  rows: readonly Ticket[],
  counters: Counters,
): void {
  for (const [at, { series, next }] of counts.entries()) {
    const before = counts[at - 1]
    if (before?.series !== series) {
      if (before !== undefined) counters.count('numbers of a table restarted')
      continue
    }
    counters.count('block of numbers taken')
    const until = counts.find((one) => one.series > series)?.commitTs ?? Number.POSITIVE_INFINITY
    const isUsed = rows.some(
      ({ number, commitTs }) =>
        number >= before.next && number < next && commitTs > before.commitTs && commitTs < until,
    )
    if (!isUsed) counters.count('block of numbers never used')
  }
}

/** Of the only table that has one, in the order of their commits. */
function countersOf(log: CommitLog): readonly Counted[] {
  const commits = commitsBelow(log, IDENTITY_PREFIX).flatMap(({ commits }) => commits)
  return commits
    .flatMap(({ commitTs, value }) =>
      value === undefined ? [] : { ...decodeIdentity(value), commitTs },
    )
    .sort((a, b) => a.commitTs - b.commitTs)
}

function ticketsOf(log: CommitLog): readonly Ticket[] {
  const table = ticketTable(log)
  if (table === undefined) return []
  const position = identityOf(table)?.position as number
  const tickets = commitsBelow(log, tableSpace(table.id)).flatMap(({ key, column, commits }) =>
    commits.flatMap(({ startTs, commitTs, value }) => {
      if (value === undefined) return []
      const columns = new Map([[column, { value, startTs, commitTs }]])
      const { row } = storedRow(table, familyIds(table), { key, columns })
      return { number: row[position] as bigint, commitTs }
    }),
  )
  return tickets.sort((a, b) => a.commitTs - b.commitTs)
}

function ticketTable(log: CommitLog): TableDefinition | undefined {
  const definitions = commitsBelow(log, CATALOG_TABLE_PREFIX)
    .flatMap(({ commits }) => commits)
    .flatMap(({ value }) => (value === undefined ? [] : decodeTable(value)))
  return definitions.find(({ name }) => name === TICKET.name)
}

type Logged = {
  readonly key: Uint8Array
  readonly column: string
  readonly commits: readonly LoggedCommit[]
}

function commitsBelow(log: CommitLog, prefix: Uint8Array): readonly Logged[] {
  return [...log.columns].flatMap(([name, commits]) => {
    const at = name.lastIndexOf('#')
    const key = keyOfRow(name.slice(0, at))
    return hasPrefix(key, prefix) ? { key, column: name.slice(at + 1), commits } : []
  })
}
