// SPDX-License-Identifier: Apache-2.0
import type { AccessStatement, AlterStoreStatement, Position } from '../../parser/ast.ts'
import type { Catalog } from '../../storage/tables/tables.ts'
import type { StatementResult } from '../execute/rows/execution-context.ts'
import { PlanError } from '../plan-error.ts'
import { requireServerRight } from '../required-rights.ts'
import { type BlockContext, executeBlockStatement } from './access-blocks.ts'
import { executeRelayStatement, type RelayContext } from './access-relays.ts'
import { executeRoleStatement } from './access-roles.ts'
import { rotateCursorSecret, type SecretContext } from './access-secrets.ts'
import { executeTokenStatement, type TokenContext } from './access-tokens.ts'
import { definitionResult, located } from './definition-result.ts'

type AccessContext = TokenContext &
  BlockContext &
  SecretContext &
  RelayContext & {
    readonly catalog: Catalog
    /** Undefined where there is no store that others use. */
    readonly setRetention?: ((statement: AlterStoreStatement) => Promise<void>) | undefined
  }

/** Runs a statement about tokens, roles or rights, blocks, relays or the store. Throws PlanError and StorageError. */
export async function executeAccess(
  statement: AccessStatement,
  context: AccessContext,
): Promise<StatementResult> {
  requireServerRight(context.catalog, 'admin', statement.position)
  try {
    return await context.transaction.statement(async () => await run(statement, context))
  } catch (error) {
    throw located(error, CODES, (fields) => placeOf(statement, fields))
  }
}

async function run(statement: AccessStatement, context: AccessContext): Promise<StatementResult> {
  if (statement.kind === 'rotateSecret') {
    await rotateCursorSecret(statement, context)
    return definitionResult(true)
  }
  if (statement.kind === 'alterStore') {
    await alterStore(statement, context)
    return definitionResult(true)
  }
  if ('relay' in statement) return await executeRelayStatement(statement, context)
  if ('token' in statement) return await executeTokenStatement(statement, context)
  if ('subject' in statement) {
    await executeBlockStatement(statement, context)
    return definitionResult(true)
  }
  return definitionResult(await executeRoleStatement(statement, context))
}

/** What it sets is no row of a transaction: it counts at once, and for all. */
async function alterStore(
  statement: AlterStoreStatement,
  { setRetention }: AccessContext,
): Promise<void> {
  if (setRetention === undefined) {
    const { position } = statement
    throw new PlanError('invalid_request', 'Only a running server alters its store.', { position })
  }
  await setRetention(statement)
}

const CODES = {
  already_exists: 'already_exists',
  unknown_token: 'unknown_token',
  unknown_role: 'unknown_role',
  unknown_block: 'unknown_block',
  unknown_relay: 'unknown_relay',
  role_in_use: 'role_in_use',
  last_admin_token: 'last_admin_token',
  limit_exceeded: 'limit_exceeded',
  invalid_definition: 'invalid_request',
} as const

function placeOf(statement: AccessStatement, fields: Readonly<Record<string, unknown>>): Position {
  if (statement.kind === 'rotateSecret') return statement.position
  if (statement.kind === 'alterStore') return statement.retention.position
  if ('subject' in statement) return statement.subject.position
  if ('relay' in statement) {
    const isOfRole = 'role' in statement && fields.role === statement.role?.text
    return isOfRole && statement.role ? statement.role.position : statement.relay.position
  }
  if (!('token' in statement)) return statement.role.position
  const isOfRole = 'role' in statement && fields.role === statement.role.text
  return isOfRole ? statement.role.position : statement.token.position
}
