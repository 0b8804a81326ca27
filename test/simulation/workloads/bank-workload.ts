// SPDX-License-Identifier: Apache-2.0

import type { SeenValue } from '../checkers/history.ts'
import type { Swarm } from '../swarm.ts'
import { textOf } from './client-transaction.ts'
import type { Work } from './work.ts'

const OPENING = 100

/**
 * Transfers between accounts of several columns: in every snapshot the sum is what it was. An account
 * that is empty is absent. Columns are written in any order, so the primary's column is not always
 * the first of its row.
 */
export function bankSetup({ transaction, swarm }: Work): void {
  for (const account of accounts(swarm)) {
    for (const column of columnsOf(swarm)) transaction.put(account, column, String(OPENING))
  }
}

export async function bankTransaction(work: Work): Promise<void> {
  const { transaction, random, swarm, think } = work
  const names = accounts(swarm)
  const columns = columnsOf(swarm)
  if (random.fraction() < 0.3 || transaction.recorded.readOnly) {
    const rows = await transaction.read(names, columns)
    checkSum(work, rows)
    if (!transaction.recorded.readOnly || random.fraction() < 0.5) return
    await think()
    checkSum(work, await transaction.read(names, columns))
    return
  }
  const from = random.below(names.length)
  const to = (from + random.below(names.length)) % names.length
  const parts = [
    { row: names[from] as string, column: columns[random.below(columns.length)] as string },
    { row: names[to] as string, column: columns[random.below(columns.length)] as string },
  ] as const
  if (parts[0].row === parts[1].row && parts[0].column === parts[1].column) return
  if (from % 2 === 0) await transaction.prefetch([parts[0].row, parts[1].row], columns)
  const balances: number[] = []
  for (const { row, column } of parts) {
    balances.push(Number((await transaction.readValue(row, column)) ?? '0'))
    await think()
  }
  const [meter = 0, payee = 0] = balances
  const amount = random.fraction() < swarm.deleteRate ? meter : random.below(meter + 1)
  const after = [meter - amount, payee + amount]
  for (const index of random.fraction() < 0.5 ? [0, 1] : [1, 0]) {
    const { row, column } = parts[index] as (typeof parts)[0]
    const balance = after[index] as number
    if (random.fraction() < swarm.guardRate) {
      // A guard beside the write, in the same row: the row group has a column without a value.
      for (const other of columns) transaction.guard(row, other)
    }
    if (balance === 0) transaction.delete(row, column)
    else transaction.put(row, column, String(balance))
  }
}

export function checkSum(
  { violations, swarm, transaction }: Work,
  rows: ReadonlyArray<ReadonlyMap<string, SeenValue> | null>,
): void {
  if (transaction.recorded.isAsOf && rows.every((row) => row === null)) return
  let sum = 0
  for (const row of rows) {
    for (const { value } of row?.values() ?? []) sum += Number(textOf(value))
  }
  const expected = accounts(swarm).length * swarm.columns * OPENING
  if (sum !== expected)
    violations.add('bank', `${transaction.recorded} saw ${sum}, not ${expected}`)
}

function accounts({ keys }: Swarm): string[] {
  return Array.from({ length: keys }, (_, index) => `\u0001bank/${String(index).padStart(2, '0')}`)
}

export function columnsOf({ columns }: Swarm): string[] {
  return Array.from({ length: columns }, (_, index) => String(index))
}
