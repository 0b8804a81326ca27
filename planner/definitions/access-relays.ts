// SPDX-License-Identifier: Apache-2.0
import type { CreateRelayStatement, Duration, RelayStatement } from '../../parser/ast.ts'
import type { Timestamp, Transaction } from '../../storage/storage.ts'
import {
  type AccessRelay,
  changeRelay,
  createRelay,
  dropRelay,
  type RelayProgress,
  readRelay,
  requireAccessRole,
  turnRelay,
} from '../../storage/tables/access/access.ts'
import { ADMIN_ROLE, type Catalog } from '../../storage/tables/tables.ts'
import type { StatementResult } from '../execute/rows/execution-context.ts'
import { shownTable } from '../execute/shown-table.ts'
import { PlanError } from '../plan-error.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import { requireTableFor } from '../required-rights.ts'
import { definitionResult } from './definition-result.ts'
import { endOf } from './duration.ts'

/** What a server has to say to a relay. */
export type RelaySetting = {
  /** The name of the history that the store has now. */
  readonly history: string
  /** Why it may not send to this address; undefined for one that the operator allows. */
  refusalOf(url: string): string | undefined
  newId(): string
  newSecret(): string
  /** The catalog as a role may know it. */
  viewOf(role: string, catalog: Catalog): Catalog
}

export type RelayContext = {
  readonly transaction: Transaction
  readonly catalog: Catalog
  /** Undefined where nothing is sent. */
  readonly relays?: RelaySetting | undefined
}

const KEEP_MINUTES_MAX = 7n * 24n * 60n
const KEEP_DEFAULT_MICROS = 24 * 3_600_000_000

/** CREATE and ROTATE answer one row with the secret, which is shown nowhere else. Throws as `executeAccess`. */
export async function executeRelayStatement(
  statement: RelayStatement,
  context: RelayContext,
): Promise<StatementResult> {
  const { transaction, relays } = context
  const { text: name, position } = statement.relay
  if (relays === undefined) {
    throw new PlanError('invalid_request', 'Only a running server has relays.', { position })
  }
  switch (statement.kind) {
    case 'createRelay':
      return await create(statement, { ...context, relays })
    case 'rotateRelay': {
      const secret = relays.newSecret()
      const until = keptUntil(transaction.now, statement.keep)
      const changed = await changeRelay(transaction, name, (before) => ({
        ...before,
        secret,
        former: { secret: before.secret, until },
      }))
      return shown(changed)
    }
    case 'dropRelay': {
      const isThere = (await readRelay(transaction, name)) !== undefined
      if (!isThere && statement.ifExists) return definitionResult(false)
      await dropRelay(transaction, name)
      return definitionResult(true)
    }
    case 'pauseRelay':
      await turnRelay(transaction, name, (before) => ({ ...before, isPaused: true, isIdle: false }))
      return definitionResult(true)
    case 'resumeRelay': {
      const { history } = relays
      const begin = beginOf(statement.from, { now: transaction.startTs, history })
      await turnRelay(transaction, name, (before) => resumed(before, begin))
      return definitionResult(true)
    }
  }
}

type Begin = Partial<Pick<RelayProgress, 'position' | 'history' | 'within'>>

/** Where it goes on: nothing of it without FROM, then it is where it stopped. */
function beginOf(
  from: 'now' | 'snapshot' | undefined,
  { now, history }: { readonly now: Timestamp; readonly history: string },
): Begin | undefined {
  if (from === undefined) return undefined
  if (from === 'now') return { position: now, history }
  return { position: now, history, within: { kind: 'snapshot', at: now, part: 1, from: '' } }
}

/** What it met before counts no more. */
function resumed(before: RelayProgress, begin: Begin | undefined): RelayProgress {
  const { stopped: _, failing: __, within, ...rest } = before
  const going = { ...rest, isPaused: false, isIdle: false }
  return begin === undefined ? { ...going, ...(within && { within }) } : { ...going, ...begin }
}

async function create(
  statement: CreateRelayStatement,
  { transaction, catalog, relays }: RelayContext & { readonly relays: RelaySetting },
): Promise<StatementResult> {
  const { relay, tables, to, role } = statement
  const isThere = (await readRelay(transaction, relay.text)) !== undefined
  if (isThere && statement.ifNotExists) return definitionResult(false)
  const refusal = relays.refusalOf(to.text)
  if (refusal !== undefined) {
    throw new PlanError('address_not_allowed', refusal, { position: to.position })
  }
  if (role !== undefined) await requireAccessRole(transaction, role.text)
  const created: AccessRelay = {
    name: relay.text,
    id: relays.newId(),
    url: to.text,
    tables: tableIds(tables, relays.viewOf(role?.text ?? ADMIN_ROLE, catalog)),
    ...(role && { role: role.text }),
    secret: relays.newSecret(),
    created: transaction.now,
  }
  const { history } = relays
  await createRelay(transaction, created, { position: transaction.startTs, history })
  return shown(created)
}

/** As the role knows them whose rows are sent. Throws PlanError. */
function tableIds(names: CreateRelayStatement['tables'], catalog: Catalog): number[] {
  const { relayTablesMax } = PLANNER_LIMITS
  if (names.length > relayTablesMax) {
    throw new PlanError('limit_exceeded', `A relay has at most ${relayTablesMax} tables.`, {
      position: names[relayTablesMax]?.position,
      fields: { limit: 'relayTablesMax', limitValue: relayTablesMax, actual: names.length },
    })
  }
  return [...new Set(names.map((name) => requireTableFor(catalog, name, 'read').id))]
}

/** Throws PlanError `out_of_range`. */
function keptUntil(now: Timestamp, keep: Duration | undefined): Timestamp {
  if (keep === undefined) return now + KEEP_DEFAULT_MICROS
  const words = 'The secret from before is kept for a minute to 7 days.'
  return endOf(now, keep, { minutesMax: KEEP_MINUTES_MAX, words })
}

function shown({ name, id, secret, former }: AccessRelay): StatementResult {
  const until = former === undefined ? null : BigInt(former.until)
  const columns = 'secret TEXT, name TEXT, id TEXT, formerUntil TIMESTAMP'
  return { ...shownTable(columns, [[secret, name, id, until]]), rowsAffected: 1 }
}
