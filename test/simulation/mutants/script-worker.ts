// SPDX-License-Identifier: Apache-2.0
import { parentPort, workerData } from 'node:worker_threads'
import { mutantNamed, plantMutant } from './plant-mutant.ts'
import type { ScriptName } from './scripts.ts'

const { mutant, script } = workerData as { readonly mutant?: string; readonly script: ScriptName }
// Before the first import of what the mutant changes.
if (mutant !== undefined) plantMutant(mutantNamed(mutant))
const { SCRIPTS } = await import('./scripts.ts')
try {
  await SCRIPTS[script]()
  parentPort?.postMessage(null)
} catch (error) {
  parentPort?.postMessage(String(error))
}
