// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path'
import type { Timestamp } from '../../cells/cell.ts'
import { StorageError } from '../../errors.ts'
import type { ConsistencyReport } from '../consistency/consistency-report.ts'
import { readRegular } from './regular-file.ts'

/** The files of a backup: `DIR/NAME/cells.db` and `DIR/NAME/manifest.json`. */
export const COPY_FILE = 'cells.db'
export const MANIFEST_FILE = 'manifest.json'

const FORMAT = 1

/** It has a line for each table. */
const BYTES_MAX = 64 * 2 ** 20

/** What a backup says of itself. It is written last, so a folder without it is no backup. */
export type BackupManifest = {
  readonly format: typeof FORMAT
  /** The version of the program that made it. */
  readonly percolite: string
  /** Of the file, as `storage-format.md` counts them. */
  readonly storeFormat: number
  /** The id of the history that the store had. */
  readonly history: string
  /**
   * The copy has every commit up to here: its newest one, unless transactions in two phases were running, whose
   * locks it has. Then their oldest start.
   */
  readonly timestamp: Timestamp
  readonly safePoint: Timestamp
  readonly bytes: number
  /** Of `cells.db`, in hexadecimal. */
  readonly sha256: string
  /** Absent where the copy was not checked. */
  readonly check?: BackupCheck
}

export type BackupCheck = {
  readonly sound: boolean
  /** By name; rows that were deleted and are still kept count as well. */
  readonly tables: ReadonlyArray<{ readonly name: string; readonly rows: number }>
}

export function backupCheckOf({ problemCount, tables }: ConsistencyReport): BackupCheck {
  return { sound: problemCount === 0, tables: tables.map(({ name, rows }) => ({ name, rows })) }
}

/** Rejects with StorageError `backup_unusable`. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  let text: string
  try {
    text = await readRegular(join(folder, MANIFEST_FILE), BYTES_MAX)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'there is none, so it is no whole backup' : message
    throw backupUnusable(folder, `${MANIFEST_FILE}: ${reason}`)
  }
  return parseManifest(text, folder)
}

/** `from` says where the text comes from. Throws StorageError `backup_unusable`. */
function parseManifest(text: string, from: string): BackupManifest {
  let manifest: Partial<Record<keyof BackupManifest, unknown>> | null
  try {
    manifest = JSON.parse(text)
  } catch {
    manifest = null
  }
  if (typeof manifest !== 'object' || manifest === null) {
    throw backupUnusable(from, `${MANIFEST_FILE} is no JSON object`)
  }
  const { format, bytes, sha256, timestamp } = manifest
  if (format !== FORMAT) {
    const known = `this version reads ${FORMAT}`
    throw backupUnusable(from, `${MANIFEST_FILE} has format ${JSON.stringify(format)}; ${known}`)
  }
  const isSound = isCount(bytes) && isCount(timestamp) && /^[0-9a-f]{64}$/.test(String(sha256))
  if (!isSound) {
    throw backupUnusable(from, `${MANIFEST_FILE} lacks bytes, timestamp or sha256`)
  }
  return manifest as BackupManifest
}

/** Throws StorageError `backup_unusable` where a file is not the one that the manifest describes. */
export function requireSameFile(
  manifest: Pick<BackupManifest, 'bytes' | 'sha256'>,
  found: Pick<BackupManifest, 'bytes' | 'sha256'>,
  from: string,
): void {
  if (found.bytes !== manifest.bytes) {
    const both = `it has ${found.bytes} bytes, and had ${manifest.bytes} when it was made`
    throw backupUnusable(from, `${COPY_FILE} is not whole: ${both}`)
  }
  if (found.sha256 === manifest.sha256) return
  throw backupUnusable(from, `${COPY_FILE} has been changed or damaged: its SHA-256 is another`)
}

export function backupUnusable(from: string, reason: string): StorageError {
  return new StorageError('backup_unusable', `The backup ${from} cannot be used: ${reason}.`)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
