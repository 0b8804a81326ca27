// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../storage/storage.ts'
import { evaluateAsOf } from './as-of.ts'
import type { Paging } from './scan-paging.ts'
import type { IndexedStatement, Script } from './script.ts'
import { StatementFailure } from './server-error.ts'

/** What a BEGIN asks for. */
export function beginOptions({
  statement,
  parameters,
}: Extract<Script, { kind: 'open' }>['begin']) {
  const { readOnly, asOf } = statement
  return asOf === undefined
    ? { readOnly }
    : { readOnly: true, asOf: evaluateAsOf(asOf, parameters) }
}

/** The snapshot of a whole request: the cursor's, or what BEGIN or its only statement says. */
export function snapshotOf(
  script: Script & { readonly kind: 'transaction' },
  paging: Paging,
): { readonly readOnly: boolean; readonly asOf?: Timestamp } {
  if (paging.readTimestamp !== undefined) return { readOnly: true, asOf: paging.readTimestamp }
  if (script.begin !== undefined) return beginOptions(script.begin)
  const [only, ...others] = script.statements
  const asOf = only !== undefined && others.length === 0 ? asOfOf(only) : undefined
  return asOf === undefined ? { readOnly: false } : { readOnly: true, asOf }
}

/** The AS OF of a statement that reads, evaluated; undefined where there is none. */
export function asOfOf({ statement, parameters, index }: IndexedStatement): Timestamp | undefined {
  const read = statement.kind === 'explain' ? statement.statement : statement
  if ((read.kind !== 'get' && read.kind !== 'scan') || read.asOf === undefined) return undefined
  try {
    return evaluateAsOf(read.asOf, parameters)
  } catch (error) {
    throw error instanceof StatementFailure ? error : new StatementFailure(index, error)
  }
}
