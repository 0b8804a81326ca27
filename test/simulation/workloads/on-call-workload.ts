// SPDX-License-Identifier: Apache-2.0
import type { Swarm } from '../swarm.ts'
import type { Work } from './work.ts'

type Doctor = { readonly row: string; readonly column: string }
type Pair = { readonly doctors: readonly [Doctor, Doctor]; readonly isGuarded: boolean }

/**
 * Two doctors, of whom one must be on call. Who leaves looks that the other stays: snapshot isolation
 * alone lets both leave at once (write skew), a guard on the other does not. A pair stands in two
 * rows, or in two columns of one row, where the guard is part of the primary's row group.
 */
export function onCallSetup({ transaction, swarm }: Work): void {
  for (const { doctors } of pairs(swarm)) {
    for (const { row, column } of doctors) transaction.put(row, column, 'on')
  }
}

export async function onCallTransaction(work: Work): Promise<void> {
  const { transaction, random, swarm, violations, counters, think } = work
  const all = pairs(swarm)
  const { doctors, isGuarded } = all[random.below(all.length)] as Pair
  const [mine, other] = random.fraction() < 0.5 ? doctors : [doctors[1], doctors[0]]
  const states = [await transaction.readValue(mine.row, mine.column)]
  await think()
  states.push(await transaction.readValue(other.row, other.column))
  const isBeforeAll = transaction.recorded.isAsOf && states.every((state) => state === null)
  if (states.every((state) => state !== 'on') && !isBeforeAll) {
    if (isGuarded) violations.add('on call', `${transaction.recorded} saw nobody on call`)
    else counters.count('write skew committed')
  }
  if (transaction.recorded.readOnly) return
  const [isOn, otherIsOn] = states.map((state) => state === 'on')
  await think()
  if (!isOn) transaction.put(mine.row, mine.column, 'on')
  else if (otherIsOn || !isGuarded) {
    if (isGuarded) transaction.guard(other.row, other.column)
    // Absent is off as well.
    if (random.fraction() < swarm.deleteRate) transaction.delete(mine.row, mine.column)
    else transaction.put(mine.row, mine.column, 'off')
  }
}

function pairs({ keys }: Swarm): Pair[] {
  const count = Math.max(2, Math.ceil(keys / 6))
  return Array.from({ length: count }, (_, index): Pair => {
    const row = `\u0001call/${index}`
    const inOneRow = index % 2 === 0
    const first = { row, column: '0' }
    const second = inOneRow ? { row, column: '1' } : { row: `${row}b`, column: '0' }
    return { doctors: [first, second], isGuarded: index % 3 !== 2 }
  })
}
