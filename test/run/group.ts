// SPDX-License-Identifier: Apache-2.0
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

/**
 * Runs the test files of a room in this process, one after the other, each within a test of its own: its hooks are for
 * it alone, and what it starts while it is loaded does not run beside the others. When the process ends it writes its
 * processor time, in seconds, into the file `usage`.
 */
export function runFiles(files: readonly string[], usage: string): void {
  for (const file of files) {
    test(file, async () => {
      await import(pathToFileURL(file).href)
    })
  }
  process.once('exit', () => writeFileSync(usage, String(processorSeconds())))
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
