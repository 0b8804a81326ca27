// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A folder of its own, which is removed when the test has ended. */
export async function testFolder(t: Pick<TestContext, 'after'>, name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `percolite-${name}-`))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}
