// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { runCampaign } from '../campaign.ts'
import type { Mutant } from './mutant.ts'
import type { ScriptName } from './scripts.ts'

/** By what a mutant was caught; undefined when it was not. */
export type Catch = { readonly after: string; readonly by: string }

/** Runs what is meant to catch the mutant, with the mutant planted. */
export async function hunt(mutant: Mutant, workers: number): Promise<Catch | undefined> {
  const { caughtBy } = mutant
  if ('script' in caughtBy) {
    const failure = await runScript(caughtBy.script, mutant.name)
    if (failure === null) return undefined
    return { after: `script ${caughtBy.script}`, by: failure.split('\n')[0] ?? failure }
  }
  const { seedsMax: seeds, ...kind } = caughtBy
  const { failures, done } = await runCampaign({
    from: 1,
    seeds,
    workers,
    mutant: mutant.name,
    failuresMax: 1,
    kind: { topology: 'gateways', ...kind },
  })
  const checkers = failures.flatMap(({ violations }) => violations.map(({ checker }) => checker))
  if (checkers.length === 0) return undefined
  return { after: `${done} seeds`, by: [...new Set(checkers)].join(', ') }
}

/** Runs a scripted interleaving in a thread of its own; resolves to how it failed, or to null. */
export async function runScript(script: ScriptName, mutant?: string): Promise<string | null> {
  const worker = new Worker(new URL('./script-worker.ts', import.meta.url), {
    workerData: { script, mutant },
  })
  const [failure] = (await once(worker, 'message')) as [string | null]
  await worker.terminate()
  return failure
}
