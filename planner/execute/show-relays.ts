// SPDX-License-Identifier: Apache-2.0

import {
  type AccessRelay,
  readRelays,
  relayLagMs,
  relayStateOf,
} from '../../storage/tables/access/access.ts'
import type { Catalog } from '../../storage/tables/tables.ts'
import type { SqlValue } from '../../storage/values/values.ts'
import { nameText } from '../expressions/expression-text.ts'
import type { ExecutionContext, StatementResult } from './rows/execution-context.ts'
import { shownTable } from './shown-table.ts'

/** SHOW RELAYS: one row for each relay by name, never a secret. */
export async function showRelays({
  transaction,
  catalog,
  functions,
}: Pick<ExecutionContext, 'transaction' | 'catalog' | 'functions'>): Promise<StatementResult> {
  const relays = await readRelays(transaction)
  const rows = relays.map(({ relay, progress }): SqlValue[] => {
    const { role = null, former } = relay
    const { stopped, failing, sent, position } = progress
    return [
      relay.name,
      tablesOf(relay, catalog).join(', '),
      relay.url,
      role,
      relayStateOf(progress),
      stopped?.message ?? failing?.message ?? null,
      BigInt(position),
      BigInt(relayLagMs(progress, Number(functions.now))),
      BigInt(sent),
      former === undefined ? null : BigInt(former.until),
      createRelayText(relay, catalog),
    ]
  })
  return shownTable(
    'name TEXT, tables TEXT, url TEXT, role TEXT, state TEXT, reason TEXT, position TIMESTAMP, lagMs INTEGER, sent INTEGER, formerUntil TIMESTAMP, statement TEXT',
    rows,
  )
}

/** The statement that makes it, with a secret of its own; NULL when all of its tables have been dropped. */
function createRelayText(relay: AccessRelay, catalog: Catalog): string | null {
  const tables = tablesOf(relay, catalog)
  if (tables.length === 0) return null
  const as = relay.role === undefined ? '' : ` AS ROLE ${nameText(relay.role)}`
  const to = `'${relay.url.replaceAll("'", "''")}'`
  return `CREATE RELAY ${nameText(relay.name)} ON TABLES ${tables.join(', ')} TO ${to}${as}`
}

/** Those that are there, in the order of the statement. */
function tablesOf({ tables }: AccessRelay, catalog: Catalog): string[] {
  const names = new Map(catalog.tables().map(({ id, name }) => [id, name]))
  return tables.flatMap((id) => {
    const name = names.get(id)
    return name === undefined ? [] : [nameText(name)]
  })
}
