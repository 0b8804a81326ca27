// SPDX-License-Identifier: Apache-2.0
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DiskUse } from '../cell-store.ts'

/**
 * The size and free space of a file's file system; undefined if it does not report them, as some network file systems.
 */
export function fileSystemOf(path: string): Pick<DiskUse, 'sizeBytes' | 'freeBytes'> | undefined {
  try {
    const { blocks, bavail, bsize } = statfsSync(dirname(path))
    return blocks === 0 ? undefined : { sizeBytes: blocks * bsize, freeBytes: bavail * bsize }
  } catch {
    return undefined
  }
}

/** The sizes of the store's files and their disk. Takes some 30 microseconds. */
export function diskUseOf(storeFile: string): DiskUse {
  const { sizeBytes, freeBytes } = fileSystemOf(storeFile) ?? UNKNOWN
  const logBytes = fileBytes(`${storeFile}-wal`)
  return { sizeBytes, freeBytes, storeBytes: fileBytes(storeFile), logBytes }
}

/** The bytes of a file; 0 if there is no such file. */
export function fileBytes(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}

/** An unknown amount of free space counts as unlimited. */
const UNKNOWN = { sizeBytes: Number.POSITIVE_INFINITY, freeBytes: Number.POSITIVE_INFINITY }
