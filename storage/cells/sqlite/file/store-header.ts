// SPDX-License-Identifier: Apache-2.0
import { APPLICATION_ID, FORMAT_VERSION } from '../schema.ts'

/** sqlite.org/fileformat2.html, "The Database Header". */
export const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
const USER_VERSION_AT = 60
const APPLICATION_ID_AT = 68

/**
 * Why a file that begins with these bytes is no store of this version, and undefined where it may be one. It opens
 * nothing, so the file stays as it is.
 */
export function headerProblem(header: Buffer): string | undefined {
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return 'it is no file of SQLite'
  if (header.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID) {
    return 'it is the database of another program'
  }
  const version = header.readUInt32BE(USER_VERSION_AT)
  if (version <= FORMAT_VERSION) return undefined
  return `it has format ${version}; this version reads formats up to ${FORMAT_VERSION}`
}
