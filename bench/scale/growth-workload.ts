// SPDX-License-Identifier: Apache-2.0

import { EmbeddedStore } from '../embedded/embedded-store.ts'
import { OPERATIONS } from '../embedded/operations.ts'
import { reading, scanning, type Work, writing } from '../embedded/work.ts'
import type { SampledWorkload } from '../load/workload.ts'

const WRITERS = 64

/** What is done in a store of each size, by name. */
const WORKS = {
  'point read': reading(OPERATIONS.read.shared),
  'look-up in the store': reading(OPERATIONS.read.record),
  'scan of 100 rows': scanning(OPERATIONS.scan.shared),
  [`durable write, ${WRITERS} writers`]: writing(OPERATIONS.write.own, WRITERS),
} as const satisfies Record<string, (store: EmbeddedStore) => Work>

export const GROWTH_OPERATIONS: readonly string[] = Object.keys(WORKS)

export type GrowthSettings = { readonly dataDirectory: string; readonly rows: number }

/** A store that was filled before; the mix of a run is the name of an operation. */
export async function openWorkload({
  dataDirectory,
  rows,
}: GrowthSettings): Promise<SampledWorkload> {
  const store = await EmbeddedStore.openFilled(dataDirectory, { rows, commit: 'auto' })
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
