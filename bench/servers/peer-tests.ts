// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import test, { type TestContext } from 'node:test'
import type { Experiment } from '../harness/experiment.ts'
import { Progress } from '../harness/progress.ts'
import { type MeasuredExperiment, runExperiment } from '../harness/run-experiment.ts'
import { missingPeer } from './executable.ts'

export { testFolder } from '../../test/test-folder.ts'

/**
 * A test that starts whole servers. It takes some seconds, but a host that gives its processor to others
 * makes minutes of them; the bound is only there to end what hangs.
 */
export function testWithServers(
  name: string,
  run: (context: TestContext) => Promise<void>,
  skip: string | false = false,
): void {
  test(name, { skip, timeout: 300_000 }, run)
}

/** From other places, which may not have them. */
const NOT_OF_DEBIAN: readonly string[] = ['rqlited', 'sqld']

/**
 * A test that needs a program: skipped, and says so, where it is not installed. In CI, which installs
 * those that Debian has, it fails instead: there nobody would see that it is skipped.
 */
export function testWithPeer(
  program: string | undefined,
  name: string,
  run: (context: TestContext) => Promise<void>,
): void {
  const missing = missingPeer(program)
  const mayBeMissing = process.env.CI !== 'true' || NOT_OF_DEBIAN.includes(program ?? '')
  const skip = missing !== undefined && mayBeMissing ? missing.message : false
  const runOrThrow = async (context: TestContext) => {
    if (missing !== undefined) throw missing
    await run(context)
  }
  testWithServers(name, runOrThrow, skip)
}

/** An experiment as short as it can be, with one sample of each contender and without a report. */
export async function runShortly(experiment: Experiment): Promise<MeasuredExperiment> {
  const silent = { isTTY: false, write: () => true } as unknown as NodeJS.WriteStream
  return await runExperiment(experiment, {
    seconds: 0.2,
    repetitions: 1,
    dataFolder: tmpdir(),
    signal: new AbortController().signal,
    progress: new Progress(silent),
  })
}

/** What each goal is, its must and its aim. None is without its contenders. */
export function goalsOf(experiments: readonly Experiment[]) {
  return experiments.flatMap(({ contenders, goals }) => {
    const names = contenders.map(({ name }) => name)
    for (const { of, to } of goals) assert.ok(names.includes(of) && names.includes(to ?? of))
    return goals.map(({ what, must, aim }) => [what, must, aim])
  })
}
