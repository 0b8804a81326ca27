// SPDX-License-Identifier: Apache-2.0
import { readAccessTokens, type SqlValue } from '../../storage/storage.ts'
import type { StatementResult, StatementTransaction } from './rows/execution-context.ts'

/** SHOW TOKENS: one row for each token by name, never a secret or its hash. */
export async function showTokens(transaction: StatementTransaction): Promise<StatementResult> {
  const tokens = await readAccessTokens(transaction)
  const rows = tokens.map(({ name, id, role, created, expires, former }): SqlValue[] => [
    name,
    id,
    role,
    BigInt(created),
    BigInt(expires),
    former === undefined ? null : BigInt(former.until),
  ])
  const columns = [
    { name: 'name', type: 'TEXT' },
    { name: 'id', type: 'TEXT' },
    { name: 'role', type: 'TEXT' },
    { name: 'created', type: 'TIMESTAMP' },
    { name: 'expires', type: 'TIMESTAMP' },
    { name: 'formerUntil', type: 'TIMESTAMP' },
  ] as const
  return { columns, rows, rowsAffected: 0 }
}
