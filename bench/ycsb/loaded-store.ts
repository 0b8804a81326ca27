// SPDX-License-Identifier: Apache-2.0
import { batches } from '../load/data.ts'
import { LoadProcess } from '../load/load-process.ts'
import { Random } from '../load/random.ts'
import { SharedServer } from '../servers/measured-server.ts'
import type { PercoliteOptions } from '../servers/percolite-server.ts'
import type { StoreKind, StoreSettings } from '../stores/open-store.ts'
import { closedOnFailure, loadTable, type StartedStore, startStore } from '../stores/start-store.ts'
import type { StoreRecord } from '../stores/store.ts'
import { FIELD_LENGTH, FieldTexts, USERTABLE } from './record.ts'

const RECORDS_PER_LOAD = 100
const LOAD_SEED = 100

/** A store with all records in it, and a load process that is connected to it. */
export type LoadedStore = StartedStore & {
  readonly load: LoadProcess
  readonly loadSeconds: number
}

export type LoadedStoreOrder = {
  readonly records: number
  readonly percolite: PercoliteOptions
  /** Of the workload: its module, its settings without the store, its connections. */
  readonly load: {
    readonly module: string
    readonly settings: object
    readonly clients: number
    readonly seed: number
  }
  /** What the workload finds beside the records. */
  readonly loadMore?: (settings: StoreSettings) => Promise<unknown>
}

/** One of each kind, for all contenders that measure it: they share its connections, and what was inserted. */
export function loadedStores<Kind extends StoreKind>(
  kinds: readonly Kind[],
  order: LoadedStoreOrder,
): ReadonlyArray<{ readonly kind: Kind; readonly server: SharedServer<LoadedStore> }> {
  return kinds.map((kind) => ({
    kind,
    server: new SharedServer(kind, (folder) => startLoadedStore(kind, folder, order)),
  }))
}

async function startLoadedStore(
  kind: StoreKind,
  folder: string,
  { records, percolite, load: workload, loadMore }: LoadedStoreOrder,
): Promise<LoadedStore> {
  const started = await startStore(kind, folder, percolite)
  const { settings, inProcess = false } = started
  return await closedOnFailure(started, async () => {
    const loadSeconds = await loadTable(settings, USERTABLE, recordPieces(records))
    await loadMore?.(settings)
    const load = await LoadProcess.open({
      ...workload,
      settings: { ...workload.settings, store: settings },
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
