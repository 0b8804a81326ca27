// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { runCampaign } from '../campaign.ts'
import type { Mutant, TestOfFile } from './mutant.ts'
import { PLANTED } from './planted.ts'
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
  if ('test' in caughtBy) {
    const failure = await runTest(caughtBy, mutant.name)
    return failure === null ? undefined : { after: caughtBy.file, by: failure }
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

/** Runs a scripted interleaving in a thread of its own, with the mutant; resolves to how it failed, or to null. */
async function runScript(script: ScriptName, mutant: string): Promise<string | null> {
  const worker = new Worker(new URL('./script-worker.ts', import.meta.url), {
    workerData: { script },
    // The threads that it starts load modules of their own, and inherit both.
    execArgv: ['--import', new URL('../plant-in-thread.ts', import.meta.url).href],
    env: { ...process.env, [PLANTED]: mutant },
  })
  const [failure] = (await once(worker, 'message')) as [string | null]
  await worker.terminate()
  return failure
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Runs one test in a process of its own; resolves to its name where it fails, or to null. */
async function runTest({ file, test }: TestOfFile, mutant: string): Promise<string | null> {
  const plant = ['--import', './test/simulation/plant-in-thread.ts']
  const name = test.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const asked = ['--test-reporter=tap', '--test-timeout=120000', `--test-name-pattern=^${name}$`]
  const child = spawn(process.execPath, [...plant, '--test', '--test-force-exit', ...asked, file], {
    cwd: ROOT,
    // A runner within a runner would report to the outer one.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, [PLANTED]: mutant },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  await once(child, 'close')
  const [result] = output.match(/^ *(not )?ok \d+ - (?!.*# SKIP)(?!.*\.test\.ts$).*$/m) ?? []
  // A file that cannot be loaded fails without having shown anything.
  if (result === undefined) throw new Error(`${file} has not run "${test}":\n${output}`)
  return result.includes('not ok') ? test : null
}
