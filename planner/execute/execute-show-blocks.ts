// SPDX-License-Identifier: Apache-2.0
import { readAccessBlocks, type SqlValue } from '../../storage/storage.ts'
import type { ExecutionContext, StatementResult } from './rows/execution-context.ts'

/** SHOW BLOCKS: one row for each subject whose older JWTs are refused now, by issuer and subject. */
export async function showBlocks({
  transaction,
  functions,
}: Pick<ExecutionContext, 'transaction' | 'functions'>): Promise<StatementResult> {
  const blocks = await readAccessBlocks(transaction, Number(functions.now))
  const rows = blocks.map(({ subject, issuer, from, expires }): SqlValue[] => [
    subject,
    issuer,
    BigInt(from),
    BigInt(expires),
  ])
  const columns = [
    { name: 'subject', type: 'TEXT' },
    { name: 'issuer', type: 'TEXT' },
    { name: 'issuedUntil', type: 'TIMESTAMP' },
    { name: 'expires', type: 'TIMESTAMP' },
  ] as const
  return { columns, rows, rowsAffected: 0 }
}
