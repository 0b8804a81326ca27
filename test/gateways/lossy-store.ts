// SPDX-License-Identifier: Apache-2.0
import { appendFileSync } from 'node:fs'
import { BigtableCellStore } from '../../engines/bigtable/bigtable-cell-store.ts'
import { EtcdCellStore } from '../../engines/etcd/etcd-cell-store.ts'
import { CellStoreError } from '../../storage/cells/cell-store.ts'
import { SeededRandomness } from '../seeded-randomness.ts'

// Loaded before a gateway (`--import`): of the mutations that it asks the store for, some are lost on the way there,
// some lose their answer, and some arrive after their caller was told that they were lost. LOSSY_SEED chooses which;
// LOSSY_LOG gets a line for each, with the file that was told.

/** Of a hundred mutations. */
const LOST_REQUESTS = 3
const LOST_ANSWERS = 3
const LATE_REQUESTS = 1.5
const LATE_MS_MAX = 3_000

const random = new SeededRandomness(Number(process.env.LOSSY_SEED))
const log = process.env.LOSSY_LOG as string

type Call = (this: object, ...args: unknown[]) => Promise<unknown>

const CALLS = ['checkAndMutateRow', 'mutateRows', 'readModifyWriteRow']
/** Calls that are answered for each row by itself. */
const OF_ROWS = ['checkAndMutateRows', 'mutateRows']

for (const [engine, names] of [
  [BigtableCellStore, CALLS],
  // Bigtable is sent each of them by itself.
  [EtcdCellStore, [...CALLS, 'checkAndMutateRows']],
] as const) {
  const calls = engine.prototype as unknown as Record<string, Call>
  for (const name of names) {
    const call = calls[name] as Call
    calls[name] = async function (...args) {
      const drawn = random.fraction() * 100
      if (drawn >= LOST_REQUESTS + LOST_ANSWERS + LATE_REQUESTS) return await call.apply(this, args)
      const told = teller()
      // What an emulator is asked while the store is opened is no step of the protocol.
      if (told === undefined) return await call.apply(this, args)
      const what = await loseOne(drawn, () => call.apply(this, args))
      appendFileSync(log, `${what} ${name} ${told}\n`)
      const error = new CellStoreError('ambiguous', `The ${what} was lost on purpose.`)
      if (OF_ROWS.includes(name)) return (args[0] as readonly unknown[]).map(() => error)
      throw error
    }
  }
}

/** Says what was lost. */
async function loseOne(drawn: number, call: () => Promise<unknown>): Promise<string> {
  if (drawn < LOST_REQUESTS) return 'request'
  if (drawn < LOST_REQUESTS + LATE_REQUESTS) {
    setTimeout(() => call().catch(() => undefined), random.below(LATE_MS_MAX))
    return 'late'
  }
  await call()
  return 'answer'
}

/** The file of the storage that asked for the mutation, without its folder; not the cell store's own. */
function teller(): string | undefined {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 20
  const lines = new Error().stack?.split('\n') ?? []
  Error.stackTraceLimit = limit
  const line = lines.find((one) => one.includes('/storage/') && !one.includes('/storage/cells/'))
  return /([\w-]+)\.ts:/.exec(line ?? '')?.[1]
}
