// SPDX-License-Identifier: Apache-2.0

import type { Swarm } from '../swarm.ts'
import { columnsOf } from './bank-workload.ts'
import type { Work } from './work.ts'

/** Registers are read, written, deleted, guarded, blindly and not, in any order. */
export async function registersTransaction(work: Work): Promise<void> {
  const { transaction, random, think } = work
  const count = 1 + random.below(5)
  for (let operation = 0; operation < count; operation += 1) {
    if (operation > 0) await think()
    if (transaction.recorded.readOnly || random.fraction() < 0.45) await readSome(work)
    else writeOne(work, operation)
    if (random.fraction() < 0.03 && !transaction.recorded.readOnly) {
      await transaction.failingStatement(drawRow(work), '0')
    }
  }
}

/** The same rows, looked at as ranges: inserted and deleted rows, own writes on top, both directions. */
export async function scansTransaction(work: Work): Promise<void> {
  const { transaction, random, think, counters } = work
  const count = 1 + random.below(3)
  for (let operation = 0; operation < count; operation += 1) {
    const [a, b] = [drawRow(work), drawRow(work)].sort() as [string, string]
    const isWhole = random.fraction() < 0.5
    const seen = await transaction.scan({
      start: isWhole ? PREFIX : a,
      end: isWhole ? `${PREFIX}~` : b,
      reverse: random.fraction() < 0.3,
      columns: columnsOf(work.swarm),
      ...(random.fraction() < 0.3 ? { limit: 1 + random.below(4) } : {}),
    })
    counters.count('rows scanned', seen.length)
    await think()
    if (transaction.recorded.readOnly) continue
    for (let writes = random.below(3); writes > 0; writes -= 1) writeOne(work, operation)
  }
}

async function readSome(work: Work): Promise<void> {
  const { transaction, random, swarm, counters } = work
  const rows = [...new Set(Array.from({ length: 1 + random.below(3) }, () => drawRow(work)))]
  for (const row of await transaction.read(rows, columnsOf(swarm))) {
    for (const { value } of row?.values() ?? []) {
      if (value.length > 255) counters.count('long value read')
    }
  }
}

function writeOne(work: Work, operation: number): void {
  const { transaction, random, swarm } = work
  const row = drawRow(work)
  const columns = columnsOf(swarm)
  const column = columns[random.below(columns.length)] as string
  const chance = random.fraction()
  if (chance < swarm.guardRate) transaction.guard(row, column)
  else if (chance < swarm.guardRate + swarm.deleteRate * 0.7) transaction.delete(row, column)
  else transaction.put(row, column, drawValue(work, operation))
}

/** Unlike every other value that was ever written. */
function drawValue({ transaction, random, swarm }: Work, operation: number): string {
  const name = `${transaction.recorded.number}.${operation}.${random.below(1e6)}`
  const isLong = random.fraction() < swarm.longValueRate
  return isLong ? name.padEnd(256 + random.below(300), '-') : name
}

function drawRow({ random, swarm }: Work): string {
  return rowNames(swarm)[random.below(swarm.keys)] as string
}

function rowNames({ keys }: Swarm): string[] {
  return Array.from({ length: keys }, (_, index) => `${PREFIX}${String(index).padStart(2, '0')}`)
}

const PREFIX = '\u0001row/'
