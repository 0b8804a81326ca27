// SPDX-License-Identifier: Apache-2.0
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../client-sdk/client.ts'
import type { BackupState } from '../../server/operations/backups/backups.ts'
import { UsageError } from '../../server/usage-error.ts'
import {
  BACKUP_NAME_RULE,
  type BackupManifest,
  BackupStage,
  COPY_FILE,
  foundNoRoom,
  isBackupName,
  requireSameFile,
  writeHashed,
} from '../../storage/operations/operations.ts'
import { StorageError } from '../../storage/storage.ts'
import type { ProgressLine } from './progress-line.ts'

/** Between two looks at how far the server is. */
const LOOK_MS = 500

/** Where a backup of a running server goes to, and what tells of it. */
export type ServerBackup = {
  readonly url: string
  readonly db: Database
  readonly token: string | undefined
  /** DIR/NAME; on the server it has the same name, as long as it is there. */
  readonly folder: string
  readonly check: boolean
  readonly progress: ProgressLine
}

/**
 * Lets a running server make a backup, takes it over the network and deletes it there. Resolves to its manifest once
 * what arrived has the hash that the server found. Rejects with PercoliteError, and with StorageError
 * `backup_unusable`, `already_exists` or `disk_full`; then nothing is left, here or there.
 */
export async function backUpServer(order: ServerBackup): Promise<BackupManifest> {
  const { db, check, folder } = order
  const name = basename(resolve(folder))
  if (!isBackupName(name)) {
    throw new UsageError(`--out ${folder}: the last part of a server's backup ${BACKUP_NAME_RULE}.`)
  }
  const stage = await BackupStage.open(folder)
  try {
    await db.request('POST', '/v1/backups', { name, check })
    try {
      const manifest = await madeManifest(db, name, order.progress)
      await stage.requireRoom(manifest.bytes)
      await takeFile(order, name, stage.folder, manifest)
      await stage.finish(manifest)
      return manifest
    } finally {
      await db.request('DELETE', `/v1/backups/${name}`).catch(() => undefined)
    }
  } catch (error) {
    if (!foundNoRoom(error)) throw error
    throw new StorageError('disk_full', `The disk of ${folder} is full, so there is no backup.`)
  } finally {
    await stage.close()
  }
}

async function madeManifest(
  db: Database,
  name: string,
  progress: ProgressLine,
): Promise<BackupManifest> {
  for (;;) {
    const made = await db.request<BackupState>('GET', `/v1/backups/${name}`)
    if (made.state === 'failed') throw new Error(`The server has made no backup: ${made.detail}`)
    if (made.manifest !== undefined) return made.manifest
    progress.show(made.state, made.bytesDone, bytesOf(made))
    await sleep(LOOK_MS)
  }
}

/** The whole copy is there while it is checked. */
export function bytesOf({
  state,
  bytesTotal,
}: Pick<BackupState, 'state' | 'bytesTotal'>): number | undefined {
  return state === 'checking' ? undefined : bytesTotal
}

/** Not by the client of the SDK, which holds each answer in memory. */
async function takeFile(
  { url, token, progress }: ServerBackup,
  name: string,
  stage: string,
  manifest: BackupManifest,
): Promise<void> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const answer = await fetch(new URL(`/v1/backups/${name}/file`, url), {
    headers,
    redirect: 'error',
  })
  if (!answer.ok || answer.body === null) {
    throw new Error(`${url} answers ${answer.status} for the file of the backup.`)
  }
  const written = (bytes: number) => progress.show('receiving', bytes, manifest.bytes)
  const found = await writeHashed(answer.body, join(stage, COPY_FILE), { written })
  requireSameFile(manifest, found, url)
}
