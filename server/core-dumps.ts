// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs'

const FILTER = '/proc/self/coredump_filter'

/**
 * Has Linux leave the memory of this process out of its core dump: in it are tokens on their way, the key of the
 * certificate and rows. Elsewhere, and where it is not allowed, that is left to the limit of the operating system.
 */
export function leaveMemoryOutOfCoreDumps(): void {
  try {
    writeFileSync(FILTER, '0x0')
  } catch {
    // There is no such file, or it may not be written.
  }
}
