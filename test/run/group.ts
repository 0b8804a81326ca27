// SPDX-License-Identifier: Apache-2.0
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

/** A file of npm test takes half a minute at most on an idle machine, one of test:system five. */
export const FILE_MS_MAX = 600_000
/** How long a process may go on after its last test. */
const ENDS_MS_MAX = 30_000

/** What a process of tests is at, and since when, as a file says it to the launcher. */
export interface RunningFile {
  readonly pid: number
  readonly file: string
  readonly sinceMs: number
}

/**
 * Runs the test files of a room in this process, one after the other, each within a test of its own: its hooks are for
 * it alone, and what it starts while it is loaded does not run beside the others. A process that something keeps alive
 * after its last test says what that is and fails. What it is at stands in the file `notes`.now; when it ends, its
 * processor time in seconds in the file `notes`.usage.
 */
export function runFiles(files: readonly string[], notes: string, endsMsMax = ENDS_MS_MAX): void {
  const isAt = (file: string) => {
    const now: RunningFile = { pid: process.pid, file, sinceMs: Date.now() }
    writeFileSync(`${notes}.now`, JSON.stringify(now))
  }
  for (const file of files) {
    test(file, { timeout: FILE_MS_MAX }, async (t) => {
      if (file === files.at(-1)) t.after(() => setTimeout(endKeptAlive, endsMsMax).unref())
      isAt(file)
      await import(pathToFileURL(file).href)
    })
  }
  process.once('exit', () => writeFileSync(`${notes}.usage`, String(processorSeconds())))
}

function endKeptAlive(): never {
  const kept = process.getActiveResourcesInfo().join(', ')
  console.error(`The tests have ended, and this process is kept alive by: ${kept}`)
  process.exit(1)
}

/** Processor time of this process, and of the processes that it started and waited for where the system tells. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + processorSecondsOfChildren()
}

/** User and system time of children, in clock ticks, are the 16th and 17th field of Linux's /proc/self/stat. */
function processorSecondsOfChildren(): number {
  if (process.platform !== 'linux') return 0
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / 100
}
