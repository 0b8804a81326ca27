// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path'
import type { Surroundings } from '../harness/experiment.ts'
import { spreadOf } from '../report/statistics.ts'
import { shapeOf } from './assignment/cluster-shape.ts'
import { PassWorkers } from './batch/pass-workers.ts'
import { runPasses } from './batch/passes.ts'
import { SyntheticDocuments } from './documents/synthetic-documents.ts'
import { baseOf, Field, type FieldOrder } from './field.ts'
import { loadRepository } from './store/tables.ts'

/** Before them one that is not measured: workers and server begin slowly. */
const RUNS = 3

/** Loads the repository, and measures T0 on a copy of it. */
export async function openField(order: FieldOrder, surroundings: Surroundings): Promise<Field> {
  const folder = await surroundings.temporaryFolder('clustering')
  const documents = new SyntheticDocuments(order.documents)
  const { repository } = order.documents
  const clusters = await loadRepository(baseOf(folder), documents, repository, surroundings)
  const made = { documents, shape: shapeOf(clusters), folder }
  surroundings.say('T0, the passes over the repository')
  const t0Seconds = await timeOfPasses(
    new Field(order, { ...made, t0Seconds: Number.NaN }),
    surroundings.signal,
  )
  return new Field(order, { ...made, t0Seconds })
}

async function timeOfPasses(field: Field, signal: AbortSignal): Promise<number> {
  const { workers: count, documents } = field.order
  const workers = new PassWorkers(count)
  try {
    return await field.withServer('', async ({ origin }, { folder }) => {
      const seconds: number[] = []
      for (let run = 0; run <= RUNS; run += 1) {
        signal.throwIfAborted()
        const made = { origin, workers, folder: join(folder, `passes-${run}`) }
        const from = documents.repository
        const passes = await runPasses({ ...made, from, variant: 'batch-full' })
        if (run > 0) seconds.push(passes.seconds)
      }
      return spreadOf(seconds).median
    })
  } finally {
    await workers.close()
  }
}
