// SPDX-License-Identifier: Apache-2.0
import type {
  CheckStatement,
  DataStatement,
  DescribeStatement,
  ExplainStatement,
  NotifyStatement,
  ShowBlocksStatement,
  ShowCreateTableStatement,
  ShowGrantsStatement,
  ShowIndexesStatement,
  ShowObserversStatement,
  ShowRelaysStatement,
  ShowRolesStatement,
  ShowSchedulesStatement,
  ShowTablesStatement,
  ShowTokensStatement,
} from '../parser/ast.ts'

/** The statements that have a plan: all that run inside a transaction. */
export type PlannedStatement =
  | DataStatement
  | CheckStatement
  | NotifyStatement
  | ExplainStatement
  | ShowTablesStatement
  | ShowIndexesStatement
  | ShowCreateTableStatement
  | ShowObserversStatement
  | ShowSchedulesStatement
  | ShowTokensStatement
  | ShowRolesStatement
  | ShowBlocksStatement
  | ShowRelaysStatement
  | ShowGrantsStatement
  | DescribeStatement
