// SPDX-License-Identifier: Apache-2.0
import type { SimulationResult } from './simulation.ts'
import type { Kind } from './swarm.ts'

/** What a worker is told once. */
export type WorkerTask = { readonly mutant?: string; readonly kind?: Kind }
/** A worker asks for a seed with each result that it gives; the first time with none. */
export type WorkerMessage = { readonly result?: SimulationResult; readonly error?: string }
