// SPDX-License-Identifier: Apache-2.0
import {
  ACCOUNTS,
  accountId,
  batches,
  FIRST_BALANCE,
  ITEMS,
  itemId,
  itemValue,
} from '../load/data.ts'
import { Random } from '../load/random.ts'
import type { StoreSettings } from './open-store.ts'
import { loadTable } from './start-store.ts'
import type { StoreRecord } from './store.ts'

const ROWS_PER_LOAD = 100
const LOAD_SEED = 1

/** What every server holds when `http` and `peers` begin. */
export async function loadItemsAndAccounts(settings: StoreSettings, rows: number): Promise<void> {
  const random = new Random(LOAD_SEED)
  const item = (number: number) => ({ key: itemId(number), fields: [itemValue(random, number)] })
  await loadTable(settings, ITEMS, records(rows, item))
  await loadAccounts(settings, rows)
}

export async function loadAccounts(settings: StoreSettings, rows: number): Promise<void> {
  const account = (number: number) => ({ key: accountId(number), fields: [FIRST_BALANCE] })
  await loadTable(settings, ACCOUNTS, records(rows, account))
}

function* records(
  rows: number,
  record: (number: number) => StoreRecord,
): Iterable<readonly StoreRecord[]> {
  for (const numbers of batches(rows, ROWS_PER_LOAD)) yield numbers.map(record)
}
