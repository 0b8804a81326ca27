// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from '../../engine.ts'
import {
  type TradeUpdateInput,
  type TradeUpdateResult,
  toggleTexts,
} from '../../transactions/trade-update.ts'
import type { SqliteStatements } from '../sqlite-statements.ts'
import { readTradesToToggle } from './trade-lookup.ts'

export async function tradeUpdate(
  transaction: Transaction,
  statements: SqliteStatements,
  input: TradeUpdateInput,
): Promise<TradeUpdateResult> {
  return await toggleTexts(transaction, input.frame, readTradesToToggle(statements, input))
}
