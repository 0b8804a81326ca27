// SPDX-License-Identifier: Apache-2.0
import { toggleTexts } from '../../transactions/trade-update.ts'
import type { NativeWrite } from './native-work.ts'
import { readTradesToToggle } from './trade-lookup.ts'

export const tradeUpdate: NativeWrite<'Trade-Update'> = (transaction, statements, input) =>
  toggleTexts(transaction, input.frame, readTradesToToggle(statements, input))
