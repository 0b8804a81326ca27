// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../client-sdk/client.ts'
import type { BackupState } from '../../server/backups/backups.ts'
import { UsageError } from '../../server/usage-error.ts'
import {
  type BackupManifest,
  COPY_FILE,
  finishBackup,
  PARTIAL,
  requireSameFile,
  writeHashed,
} from '../../storage/storage.ts'
import type { ProgressLine } from './progress-line.ts'

/** Between two looks at how far the server is. */
const LOOK_MS = 500
const FOLDER_MODE = 0o700

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
 * `backup_unusable`; then nothing is left, here or there.
 */
export async function backUpServer(order: ServerBackup): Promise<BackupManifest> {
  const { db, check } = order
  const folder = resolve(order.folder)
  const name = basename(folder)
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) {
    throw new UsageError(
      `--out ${order.folder}: of a server's backup the last part has letters, digits, _ and -, at most 64.`,
    )
  }
  if (existsSync(folder)) throw new Error(`There is something at ${folder} already.`)
  const partial = `${folder}${PARTIAL}`
  await mkdir(dirname(folder), { recursive: true, mode: FOLDER_MODE })
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { mode: FOLDER_MODE })
  try {
    await db.request('POST', '/v1/backups', { name, check })
    try {
      const manifest = await madeManifest(db, name, order.progress)
      await takeFile(order, name, partial, manifest)
      await finishBackup(folder, manifest)
      return manifest
    } finally {
      await db.request('DELETE', `/v1/backups/${name}`).catch(() => undefined)
    }
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
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
    progress.show(made.state, made.bytesDone, made.bytesTotal)
    await sleep(LOOK_MS)
  }
}

/** Not by the client of the SDK, which holds each answer in memory. */
async function takeFile(
  { url, token, progress }: ServerBackup,
  name: string,
  partial: string,
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
  const found = await writeHashed(answer.body, join(partial, COPY_FILE), { written })
  requireSameFile(manifest, found, url)
}
