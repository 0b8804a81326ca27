// SPDX-License-Identifier: Apache-2.0
import type { SampledWorkload } from '../load/workload.ts'
import { BenchStore } from '../store/bench-store.ts'
import { readInSharedTransaction, readRecord } from '../store/read-work.ts'
import { scanInSharedTransaction } from '../store/scan-work.ts'
import type { Work } from '../store/store-contender.ts'
import { putInTransactions } from '../store/write-work.ts'

const WRITERS = 64

/** What is done in a store of each size, by name. */
const WORKS = {
  'point read': readInSharedTransaction,
  'look-up in the store': readRecord,
  'scan of 100 rows': scanInSharedTransaction,
  [`durable write, ${WRITERS} writers`]: putInTransactions(WRITERS),
} as const satisfies Record<string, (store: BenchStore) => Work>

export const GROWTH_OPERATIONS: readonly string[] = Object.keys(WORKS)

export type GrowthSettings = { readonly dataDirectory: string; readonly rows: number }

/** A store that was filled before; the mix of a run is the name of an operation. */
export async function openWorkload({
  dataDirectory,
  rows,
}: GrowthSettings): Promise<SampledWorkload> {
  const store = await BenchStore.openFilled(dataDirectory, { rows, commit: 'auto' })
  const works = new Map<string, Work>(
    Object.entries(WORKS).map(([name, prepare]) => [name, prepare(store)]),
  )
  return {
    run({ mix = '', seconds }, signal) {
      const work = works.get(mix)
      if (work === undefined) throw new Error(`There is no operation "${mix}".`)
      return work(seconds, signal)
    },
    close: () => store.close(),
  }
}
