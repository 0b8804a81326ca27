// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What the editor of the user makes of a text, in a file that nobody else can read. Throws where it fails. */
export function editText(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const editor = environment.VISUAL || environment.EDITOR || 'vi'
  const folder = mkdtempSync(join(tmpdir(), 'percolite-'))
  try {
    const path = join(folder, 'statement.sql')
    writeFileSync(path, text, { mode: 0o600 })
    const { status, error } = spawnSync(`${editor} '${path}'`, { shell: true, stdio: 'inherit' })
    if (error !== undefined) throw error
    if (status !== 0) throw new Error(`The editor (${editor}) ended with ${status}.`)
    return readFileSync(path, 'utf8')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
