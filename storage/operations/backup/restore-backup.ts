// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StorageError } from '../../errors.ts'
import type { ConsistencyReport } from '../consistency/consistency-report.ts'
import { checkDataDirectory } from '../consistency/data-directory-check.ts'
import { copyHashed, requireRoom } from './backup-files.ts'
import {
  type BackupManifest,
  backupUnusable,
  COPY_FILE,
  readManifest,
  requireSameFile,
} from './manifest.ts'
import { type Restored, type RestoreOptions, ROOM_BYTES, restoreInto } from './restore-stage.ts'

/** Makes a database in `dataDirectory` from the backup in `folder`. Rejects as `restoreInto` does. */
export async function restoreBackup(
  folder: string,
  dataDirectory: string,
  { check, onProgress = () => {} }: RestoreOptions,
): Promise<Restored> {
  const manifest = await readManifest(folder)
  const source = {
    bytes: manifest.bytes,
    copyInto: (work: string) => takeCopy(folder, work, manifest, onProgress),
    unusable: (reason: string) => backupUnusable(folder, reason),
  }
  return await restoreInto(dataDirectory, source, { check })
}

/**
 * Verifies the hash of a backup and checks every cell in it, in a copy within the system's folder for temporary files:
 * opening a database writes into it. Rejects with StorageError `backup_unusable` or `disk_full`.
 */
export async function checkBackup(
  folder: string,
  { onProgress = () => {} }: Pick<RestoreOptions, 'onProgress'> = {},
): Promise<ConsistencyReport> {
  const manifest = await readManifest(folder)
  const stage = await mkdtemp(join(tmpdir(), 'percolite-check-'))
  try {
    await requireRoom(stage, manifest.bytes + ROOM_BYTES)
    await takeCopy(folder, stage, manifest, onProgress)
    return await checkDataDirectory(stage)
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

async function takeCopy(
  folder: string,
  stage: string,
  manifest: BackupManifest,
  onProgress: (bytesDone: number, bytesTotal: number) => void,
): Promise<void> {
  const written = (bytes: number) => onProgress(bytes, manifest.bytes)
  const from = join(folder, COPY_FILE)
  let found: Awaited<ReturnType<typeof copyHashed>>
  try {
    found = await copyHashed(from, join(stage, COPY_FILE), { written, bytesMax: manifest.bytes })
  } catch (error) {
    const { code, message, path } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC') throw new StorageError('disk_full', `The disk of ${stage} is full.`)
    const isOfBackup = path === from || code === 'EISDIR'
    throw isOfBackup ? backupUnusable(folder, `${COPY_FILE}: ${message}`) : error
  }
  requireSameFile(manifest, found, folder)
}
