// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of its own, which is removed when the test has ended. */
export async function testFolder(
  t: { after(clean: () => Promise<void>): void },
  name: string,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `percolite-${name}-`))
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}
