// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check'
import { checkInput } from './check-input.ts'
import { repetitions, sentences } from './dialect-sentences.ts'
import type { FuzzInput } from './fuzz-input.ts'
import { FuzzServer } from './fuzz-server.ts'
import type { TargetName } from './target-names.ts'
import { bodies, requests, storedRecords } from './wire-inputs.ts'

/** The inputs of each target; `share` is how many inputs a target gets for one of the slowest. */
export const TARGETS: Readonly<
  Record<TargetName, { readonly inputs: fc.Arbitrary<FuzzInput>; readonly share: number }>
> = {
  sentences: { inputs: sentences, share: 30 },
  repetitions: { inputs: repetitions, share: 1 },
  bodies: { inputs: bodies, share: 40 },
  requests: { inputs: requests, share: 20 },
  records: { inputs: storedRecords, share: 200 },
}

export type Fuzzing = { readonly runs: number; readonly seed: number; readonly failure?: string }

/**
 * Fuzzes one target with a server of its own. The failure, if one was found, holds the seed, the
 * smallest input that still fails as a line for the corpus, and the error.
 */
export async function fuzz(
  target: TargetName,
  effort: { readonly runs: number; readonly seconds?: number; readonly seed: number },
): Promise<Fuzzing> {
  const { inputs } = TARGETS[target]
  const server = await FuzzServer.start()
  const check = (input: FuzzInput) => checkInput(server, input)
  const { runs, seconds, seed } = effort
  const details = await fc.check(fc.asyncProperty(inputs, check), {
    seed,
    numRuns: runs,
    ...(seconds === undefined ? {} : { interruptAfterTimeLimit: seconds * 1000 }),
  })
  const found = details.counterexample?.[0]
  let error = details.failed && found !== undefined ? String(details.errorInstance) : undefined
  // A server that answered everything, but not as declared or not any more, has failed as well.
  try {
    await server.assertAlive()
    await server.close()
  } catch (late) {
    error ??= String(late)
  }
  if (error === undefined) return { runs: details.numRuns, seed }
  const input = JSON.stringify({ 'what is wrong with it': found })
  const failure = `target ${target}, seed ${seed}, failed after ${details.numRuns} inputs\n${input}\n${error}`
  return { runs: details.numRuns, seed, failure }
}
