// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs'
import { FILE_MS_MAX, type RunningFile } from './group.ts'

const LOOKS_MS = 5_000
/** A process whose event loop turns ends a file by itself; what is this much later does not turn. */
const LATER_MS = 60_000

/**
 * Kills the processes of tests that hang in a way that they cannot end by themselves (the timeout of Node's test runner
 * is a signal that such a process does not take), so that a run ends and names the file.
 *
 * @param notes paths that `runFiles` was given
 * @param overdueMs how long a process may be at one file, in milliseconds
 */
export function endHanging(
  notes: readonly string[],
  overdueMs = FILE_MS_MAX + LATER_MS,
  looksMs = LOOKS_MS,
): void {
  const killed = new Set<string>()
  const timer = setInterval(() => {
    for (const path of notes.filter((one) => !killed.has(one) && !existsSync(`${one}.usage`))) {
      const running = runningFile(`${path}.now`)
      if (running === undefined || Date.now() - running.sinceMs < overdueMs) continue
      killed.add(path)
      console.error(
        `${running.file} did not end within ${overdueMs / 1_000} s: its process is killed`,
      )
      killIfThere(running.pid)
    }
  }, looksMs)
  timer.unref()
}

function runningFile(path: string): RunningFile | undefined {
  if (!existsSync(path)) return undefined
  const text = readFileSync(path, 'utf8')
  return text.endsWith('}') ? (JSON.parse(text) as RunningFile) : undefined
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended meanwhile.
  }
}
