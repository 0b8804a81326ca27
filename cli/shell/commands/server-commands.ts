// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../../client-sdk/client.ts'
import type { BackslashCommand } from './backslash-command.ts'

/** What looks at the server: its tables, its transactions, what is below its rows. */
export const SERVER_COMMANDS: readonly BackslashCommand[] = [
  {
    name: '\\d',
    usage: '[table]',
    help: 'tables, or the columns and indexes of one',
    tableAt: 1,
    async run(shell, table) {
      const sql = table === '' ? 'SHOW TABLES' : `DESCRIBE ${table}; SHOW INDEXES FROM ${table}`
      await shell.show(shell.session.run(sql, shell.signal))
    },
  },
  {
    name: '\\di',
    usage: '',
    help: 'indexes of all tables',
    async run(shell) {
      const { db } = shell.session
      const { tables } = await db.request<Schemas['TableList']>('GET', '/v1/tables')
      const rows = tables.flatMap(({ name, indexes }) =>
        indexes.map((index) => [
          index.name,
          name,
          keyText(index.columns),
          index.unique,
          index.state,
        ]),
      )
      await shell.showRows(['index', 'table', 'columns', 'unique', 'state'], rows)
    },
  },
  {
    name: '\\do',
    usage: '',
    help: 'observers',
    async run(shell) {
      await shell.show(shell.session.run('SHOW OBSERVERS', shell.signal))
    },
  },
  {
    name: '\\ds',
    usage: '',
    help: 'schedules',
    async run(shell) {
      await shell.show(shell.session.run('SHOW SCHEDULES', shell.signal))
    },
  },
  {
    name: '\\dr',
    usage: '',
    help: 'relays',
    async run(shell) {
      await shell.show(shell.session.run('SHOW RELAYS', shell.signal))
    },
  },
  {
    name: '\\tx',
    usage: '',
    help: 'open transactions; the one of this shell has a star',
    async run(shell) {
      const { db, state } = shell.session
      const { transactions } = await db.request<Schemas['TransactionList']>(
        'GET',
        '/v1/transactions',
      )
      const own = state.kind === 'none' ? undefined : state.id
      const rows = transactions.map(({ transaction, openedAt, expiresAt, readOnly }) => [
        transaction === own ? '*' : '',
        transaction,
        openedAt,
        expiresAt,
        readOnly,
      ])
      await shell.showRows(['own', 'transaction', 'opened', 'expires', 'readOnly'], rows)
    },
  },
  {
    name: '\\locks',
    usage: '',
    help: 'locks that are in the store now',
    async run(shell) {
      const { locks } = await shell.session.db.request<Schemas['LockList']>('GET', '/v1/locks')
      const rows = locks.map(({ cell, ...rest }) => [JSON.stringify(cell), JSON.stringify(rest)])
      await shell.showRows(['cell', 'lock'], rows)
    },
  },
  {
    name: '\\conflicts',
    usage: '',
    help: 'the last conflicts: what was refused, and why',
    async run(shell) {
      const { db } = shell.session
      const { recent } = await db.request<Schemas['ConflictList']>('GET', '/v1/conflicts')
      const rows = recent.map(({ at, met, loser, winner, attempt, retried, kind, ...row }) => {
        const address = JSON.stringify(row)
        return [at, kind, address, met, loser, winner ?? null, attempt, retried]
      })
      const columns = ['at', 'kind', 'row', 'met', 'loser', 'winner', 'attempt', 'retried']
      await shell.showRows(columns, rows)
    },
  },
  {
    name: '\\statements',
    usage: '',
    help: 'what statements come to, by their shapes',
    async run(shell) {
      const { db } = shell.session
      const list = await db.request<Schemas['StatementStatistics']>('GET', '/v1/statements')
      const rows = list.statements.map(({ statement, count, errors, totalMs, ...rest }) => {
        const failed = Object.values(errors).reduce((sum, runs) => sum + runs, 0)
        const { p50Ms, p99Ms, maxMs, rowsReturned, rowsWritten } = rest
        const times = [totalMs, p50Ms, p99Ms, maxMs]
        return [statement, count, failed, ...times, rowsReturned, rowsWritten, rest.key ?? null]
      })
      const times = ['totalMs', 'p50Ms', 'p99Ms', 'maxMs']
      const columns = ['statement', 'count', 'failed', ...times, 'returned', 'written', 'key']
      await shell.showRows(columns, rows)
    },
  },
  {
    name: '\\status',
    usage: '',
    help: 'version, timestamps, room on the disk and warnings of the server',
    async run(shell) {
      const status = await shell.session.db.request<Schemas['Status']>('GET', '/v1/status')
      await shell.showRows(
        ['name', 'value'],
        Object.entries(status).map(([name, value]) => [name, shown(value)]),
      )
    },
  },
  {
    name: '\\cells',
    usage: 'table key',
    help: 'the cells below a row; the parts of a key have commas between them',
    tableAt: 1,
    async run(shell, rest) {
      const [, table, key] = /^(\S+)\s+(.+)$/s.exec(rest) ?? []
      if (table === undefined || key === undefined) throw new Error('It is \\cells table key.')
      const path = `/v1/tables/${encodeURIComponent(table)}/cells/${encodeURIComponent(key)}`
      const cells = await shell.session.db.request<Schemas['RowCells']>('GET', path)
      await shell.showRows(['family', 'column', 'timestamp', 'cell'], cellRows(cells))
    },
  },
]

const FAMILIES = ['lock', 'write', 'data', 'rollback', 'guard', 'notify'] as const

/** A row for each cell, as the families of the paper have them. */
function cellRows(cells: Readonly<Record<string, unknown>>): unknown[][] {
  return FAMILIES.flatMap((family) => {
    const found = (cells[family] ?? []) as ReadonlyArray<Readonly<Record<string, unknown>>>
    return found.map(({ column, timestamp, ...rest }) => [
      family,
      column,
      timestamp,
      JSON.stringify(rest),
    ])
  })
}

function keyText(
  columns: ReadonlyArray<{ readonly column: string; readonly descending: boolean }>,
): string {
  return columns
    .map(({ column, descending }) => (descending ? `${column} DESC` : column))
    .join(', ')
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
