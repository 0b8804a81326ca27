// SPDX-License-Identifier: Apache-2.0
import { batches } from '../load/data.ts'
import { LoadProcess } from '../load/load-process.ts'
import { Random } from '../load/random.ts'
import type { PercoliteOptions } from '../servers/percolite-server.ts'
import type { StoreKind } from '../stores/open-store.ts'
import { closedOnFailure, loadTable, type StartedStore, startStore } from '../stores/start-store.ts'
import type { StoreRecord } from '../stores/store.ts'
import { FIELD_LENGTH, FieldTexts, USERTABLE } from './record.ts'
import type { YcsbSettings } from './ycsb-workload.ts'

const RECORDS_PER_LOAD = 100
const LOAD_SEED = 100
const RUN_SEED = 2010

/** A store with all records in it, and a load process that is connected to it. */
export type LoadedStore = StartedStore & {
  readonly load: LoadProcess
  readonly loadSeconds: number
}

export async function startLoadedStore(order: {
  readonly kind: StoreKind
  readonly folder: string
  readonly records: number
  readonly clients: number
  readonly percolite: PercoliteOptions
}): Promise<LoadedStore> {
  const { records, clients } = order
  const started = await startStore(order.kind, order.folder, order.percolite)
  const { settings, inProcess = false } = started
  return await closedOnFailure(started, async () => {
    const loadSeconds = await loadTable(settings, USERTABLE, recordPieces(records))
    const load = await LoadProcess.open({
      module: new URL('./ycsb-workload.ts', import.meta.url).href,
      settings: { store: settings, records } satisfies YcsbSettings,
      clients,
      seed: RUN_SEED,
      holdsStore: inProcess,
    })
    const close = async () => {
      await load.close()
      await started.close()
    }
    return { ...started, load, loadSeconds, close }
  })
}

/** All records, in the order of their numbers; that of their keys is another. */
export function* recordPieces(
  records: number,
  fieldLength = FIELD_LENGTH,
): Iterable<readonly StoreRecord[]> {
  const random = new Random(LOAD_SEED)
  const texts = new FieldTexts(fieldLength)
  for (const numbers of batches(records, RECORDS_PER_LOAD)) {
    yield numbers.map((number) => texts.record(number, random))
  }
}
