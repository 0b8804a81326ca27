// SPDX-License-Identifier: Apache-2.0
import type { StoreCopier } from '../../cell-store.ts'
import type { CopierRequest } from './copier-thread.ts'
import { SqliteThread } from './thread.ts'

// TypeScript in the repository, JavaScript where the package is installed.
const isSource = import.meta.url.endsWith('.ts')
const COPIER = new URL(isSource ? './copier-thread.ts' : './copier-thread.js', import.meta.url)

/** Starts the thread that copies the file at `path`. `ended` is called once it no longer reads. */
export async function startCopier(path: string, ended: () => void): Promise<StoreCopier> {
  let thread: SqliteThread<CopierRequest, null>
  try {
    // What waits for an answer is told of its death, and nothing else depends on it.
    thread = await SqliteThread.start<CopierRequest, null>(COPIER, path, () => {})
  } catch (error) {
    ended()
    throw error
  }
  return {
    copyTo: (file) => thread.ask<number>({ kind: 'copy', file }),
    fileProblems: (dataDirectory) => thread.ask<string[]>({ kind: 'check', dataDirectory }),
    close: () => thread.close({ kind: 'close' }).finally(ended),
  }
}
