// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from '../../engine.ts'
import type { InputOf, PerformedName, ResultOf } from '../../transactions/all-transactions.ts'
import type { SqliteStatements } from '../sqlite-statements.ts'

// A transaction as SQLite would have it: what belongs together is read by one query with joins, and what
// is computed from it is computed here, which is where SQLite's callers compute.

/** Reads at one snapshot; the transaction is begun before and committed after. */
export type NativeRead<Name extends PerformedName> = (
  statements: SqliteStatements,
  input: InputOf<Name>,
) => ResultOf<Name>

/** Commits by itself. `statements` work within the transaction. */
export type NativeWrite<Name extends PerformedName> = (
  transaction: Transaction,
  statements: SqliteStatements,
  input: InputOf<Name>,
) => Promise<ResultOf<Name>>
