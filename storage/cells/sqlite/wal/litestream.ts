// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Whether Litestream replicates this file: then it has a folder next to it. It copies the log, and has to see all of it
 * before the log begins again, so it moves and restarts the log itself. Of a log that another process restarts it
 * may miss a part without a notice, and what it keeps is then no database any more. Where it finds that the log was cut
 * to nothing, it copies the file from the beginning.
 */
export function isReplicated(storeFile: string): boolean {
  return existsSync(join(dirname(storeFile), `.${basename(storeFile)}-litestream`))
}
