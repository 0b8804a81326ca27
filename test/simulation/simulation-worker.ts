// SPDX-License-Identifier: Apache-2.0
import { parentPort, workerData } from 'node:worker_threads'
import { mutantNamed, plantMutant } from './mutants/plant-mutant.ts'
import { drawSwarm } from './swarm.ts'
import type { WorkerMessage, WorkerTask } from './worker-messages.ts'

const { mutant, kind } = workerData as WorkerTask
// Before the first import of what the mutant changes.
if (mutant !== undefined) plantMutant(mutantNamed(mutant))
const { simulate } = await import('./simulation.ts')

const port = parentPort
if (port === null) throw new Error('this is a worker thread')
const say = (message: WorkerMessage) => port.postMessage(message)

port.on('message', async (seed: number | undefined) => {
  if (seed === undefined) return port.close()
  try {
    say({ result: await simulate(seed, { swarm: drawSwarm(seed, kind) }) })
  } catch (error) {
    say({ error: `seed ${seed}: ${error instanceof Error ? error.stack : String(error)}` })
    port.close()
  }
})
say({})
