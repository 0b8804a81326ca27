// SPDX-License-Identifier: Apache-2.0
import { parentPort, workerData } from 'node:worker_threads'
import type { ScriptName } from './scripts.ts'

const { script } = workerData as { readonly script: ScriptName }
const { SCRIPTS } = await import('./scripts.ts')
try {
  await SCRIPTS[script]()
  parentPort?.postMessage(null)
} catch (error) {
  parentPort?.postMessage(String(error))
}
