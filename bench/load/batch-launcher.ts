// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process'
import { installedExecutable } from '../servers/executable.ts'

let found: readonly string[] | undefined

/**
 * The words that make a batch process of the command behind them; none where the system has no such processes.
 *
 * Linux lets a process that is woken take the core from the one that runs there. A load generator that shares cores
 * with a server would interrupt it with each answer that it writes, and the more so the fewer threads the server has.
 * A batch process (SCHED_BATCH, sched(7)) has as much of the cores as any other, but waits for its turn.
 */
export function batchLauncher(): readonly string[] {
  found ??= findLauncher()
  return found
}

/** For a report: how the load generator was run. */
export function loadGeneratorNote(): string {
  return batchLauncher().length > 0
    ? 'The load generator is a batch process (SCHED_BATCH): it has its share of the cores, but does not interrupt a server each time that it is answered.'
    : 'The load generator is a process like any other, which may interrupt a server each time that it is answered: chrt of Linux is not to be had here.'
}

function findLauncher(): readonly string[] {
  const chrt = installedExecutable('chrt')
  if (chrt === undefined) return []
  const words = ['--batch', '0']
  // Some containers refuse it.
  const { status } = spawnSync(chrt, [...words, 'true'], { stdio: 'ignore' })
  return status === 0 ? [chrt, ...words] : []
}
