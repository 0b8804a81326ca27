// SPDX-License-Identifier: Apache-2.0
import type { Experiment } from '../harness/experiment.ts'
import { absentEngine, type EngineName } from './shared-engine.ts'

/** The experiment; without its contenders, and with a sentence about it, where the engine is not installed. */
export function withInstalledEngine(name: EngineName, experiment: Experiment): Experiment {
  const missing = absentEngine(name)
  if (missing === undefined) return experiment
  const notes = [...(experiment.notes ?? []), `Left out: ${missing}; test/engines.sh does that.`]
  return { ...experiment, contenders: [], goals: [], notes }
}
