// SPDX-License-Identifier: Apache-2.0
import { readFileOrPipe, readRegularSync } from '../storage/operations/operations.ts'

/** A server takes no longer script, and nobody writes a longer program. */
const SOURCE_BYTES_MAX = 16 * 1024 * 1024
/** A longer text of statements is loaded by `percolite import`. */
const SCRIPT_BYTES_MAX = 256 * 1024 * 1024

/** The bytes of a file that is read more than once: a migration, a program. Throws for what is no file, or too long. */
export function sourceBytes(path: string): Buffer {
  return readRegularSync(path, SOURCE_BYTES_MAX)
}

/** The bytes of a file of statements, or of a pipe. Throws for what is neither, or too long. */
export function scriptBytes(path: string): Buffer {
  return readFileOrPipe(path, SCRIPT_BYTES_MAX)
}
