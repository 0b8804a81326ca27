// SPDX-License-Identifier: Apache-2.0
import type { Contender, Experiment } from '../harness/experiment.ts'
import { missingPeer } from './executable.ts'

/** A contender that needs a program which may not be installed. */
export type PeerContender = Contender & { readonly program?: string | undefined }

/**
 * The experiment without the contenders whose programs are missing, and with a sentence about each:
 * one who has only some of the peers sees the others measured.
 */
export function withInstalledPeers(
  experiment: Omit<Experiment, 'contenders'> & { readonly contenders: readonly PeerContender[] },
): Experiment {
  const missing = new Map<string, string>()
  for (const { name, program } of experiment.contenders) {
    const problem = missingPeer(program)
    if (problem !== undefined) missing.set(name, problem.message)
  }
  const left = (name: string | undefined) => name === undefined || !missing.has(name)
  return {
    ...experiment,
    contenders: experiment.contenders.filter(({ name }) => left(name)),
    goals: experiment.goals.filter(({ of, to }) => left(of) && left(to)),
    notes: [
      ...(experiment.notes ?? []),
      ...[...missing].map(([name, problem]) => `Left out: ${name}. ${problem}.`),
    ],
  }
}
