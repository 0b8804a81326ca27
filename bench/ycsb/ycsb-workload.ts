// SPDX-License-Identifier: Apache-2.0
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { latencyOf, recordMs } from '../harness/sample.ts'
import { Random } from '../load/random.ts'
import type { LoadOptions, Workload } from '../load/workload.ts'
import { openStore, type StoreSettings } from '../stores/open-store.ts'
import type { FieldChange } from '../stores/store.ts'
import {
  CORE_WORKLOADS,
  type CoreWorkload,
  drawKind,
  drawScanLength,
  type OperationKind,
} from './core-workloads.ts'
import { InsertCounter } from './insert-counter.ts'
import { type KeyChooser, latest, scrambledZipfian, uniform } from './key-chooser.ts'
import { FIELD_COUNT, FieldTexts, recordKey, USERTABLE } from './record.ts'

export type YcsbSettings = {
  readonly store: StoreSettings
  readonly records: number
}

/** Numbers that workload E draws beyond the records there are; YCSB has twice the expected inserts. */
const ROOM_SHARE = 0.2

type Mix = CoreWorkload & { readonly chooseKey: KeyChooser }

/** The core workloads, one at a time, over one set of connections; records inserted stay. */
export async function openWorkload(
  settings: YcsbSettings,
  options: LoadOptions,
): Promise<Workload> {
  const { records } = settings
  const store = await openStore(settings.store, USERTABLE, options.clients)
  const random = new Random(options.seed)
  const texts = new FieldTexts()
  const inserts = new InsertCounter(records)
  const mixes = new Map(
    CORE_WORKLOADS.map((one) => [one.name, { ...one, chooseKey: keyChooser(one, inserts) }]),
  )
  let mix = mixes.values().next().value as Mix
  let latencies = new Map<OperationKind, RecordableHistogram>()

  const changes = (): FieldChange[] =>
    mix.update === 'field'
      ? [[random.below(FIELD_COUNT), texts.next(random)]]
      : Array.from({ length: FIELD_COUNT }, (_, index) => [index, texts.next(random)] as const)

  const perform = async (kind: OperationKind, client: number): Promise<void> => {
    if (kind === 'insert') {
      const number = inserts.next()
      await store.insert(client, texts.record(number, random))
      inserts.acknowledge(number)
      return
    }
    const key = recordKey(mix.chooseKey(random))
    switch (kind) {
      case 'read':
        await store.get(client, key)
        break
      case 'update':
        await store.update(client, key, changes())
        break
      case 'scan':
        await store.scan(client, key, drawScanLength(random))
        break
      case 'readModifyWrite':
        if (mix.modify === 'transaction') {
          await store.modify(client, key, changes())
        } else {
          await store.get(client, key)
          await store.update(client, key, changes())
        }
    }
  }

  return {
    choose(name) {
      mix = mixes.get(name) as Mix
    },
    async operate(client) {
      const kind = drawKind(mix, random)
      const beganMs = performance.now()
      await perform(kind, client)
      const histogram = latencies.get(kind) ?? createHistogram()
      recordMs(histogram, performance.now() - beganMs)
      latencies.set(kind, histogram)
    },
    takeFigures() {
      const figures: Record<string, number> = { retries: store.takeRetries() }
      for (const [kind, histogram] of latencies) {
        const { p50, p95, p99, p999 } = latencyOf(histogram)
        Object.assign(figures, {
          [`${kind}P50Ms`]: p50,
          [`${kind}P95Ms`]: p95,
          [`${kind}P99Ms`]: p99,
          [`${kind}P999Ms`]: p999,
        })
      }
      latencies = new Map()
      return figures
    },
    close: () => store.close(),
  }
}

function keyChooser(workload: CoreWorkload, inserts: InsertCounter): KeyChooser {
  const stored = () => inserts.acknowledged
  switch (workload.keys) {
    case 'latest':
      return latest(stored)
    case 'uniform':
      return uniform(stored)
    case 'zipfian': {
      const room = workload.mix.insert === undefined ? 0 : Math.ceil(stored() * ROOM_SHARE)
      return scrambledZipfian(stored, room)
    }
  }
}
