// SPDX-License-Identifier: Apache-2.0
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The bytes of all files below a folder. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    // A file may go between its being listed and its being looked at.
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined)
    bytes += found?.size ?? 0
  }
  return bytes
}
