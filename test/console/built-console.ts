// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../../', import.meta.url)

export type BuiltFile = {
  readonly name: string
  readonly gzip: number
  /** The source that a browser loads by this file, where it is one. */
  readonly from?: string
  /** Files that it cannot do without. */
  readonly imports: readonly string[]
}

/** Builds the console where its sources have changed. Returns what files.json says of it. */
export function buildConsole(): { readonly files: readonly BuiltFile[] } {
  const tool = fileURLToPath(new URL('tools/build-console.mjs', ROOT))
  execFileSync(process.execPath, [tool, '--if-needed'], { stdio: ['ignore', 'ignore', 'inherit'] })
  return JSON.parse(readFileSync(new URL('console/dist/files.json', ROOT), 'utf8'))
}
