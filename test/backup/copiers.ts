// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Whether this system tells which processes there are. */
export const TELLS_PROCESSES = existsSync('/proc/self/cmdline')

/** The ids of the processes that copy this database; one that checks it in the background is none. */
export function copiersOf(dataDirectory: string): readonly number[] {
  const path = join(dataDirectory, 'cells.db')
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isCopier(name, path))
    .map(Number)
}

/**
 * Stops the process that copies this database, as a copy of a huge one does not end: it hears no message, and only
 * SIGKILL ends it. To be called at once after the backup has begun.
 */
export async function holdCopier(dataDirectory: string): Promise<void> {
  for (;;) {
    const [id] = copiersOf(dataDirectory)
    if (id !== undefined) return void process.kill(id, 'SIGSTOP')
    await sleep(1)
  }
}

function isCopier(id: string, path: string): boolean {
  try {
    // A process that has ended and was not waited for has an empty one.
    const words = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0')
    if (words.includes('background')) return false
    return words.includes(path) && words.some((word) => word.includes('copier-process'))
  } catch {
    return false
  }
}
