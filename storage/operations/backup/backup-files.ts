// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto'
import { constants, createReadStream, createWriteStream } from 'node:fs'
import { open, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isFull } from '../../cells/sqlite/error.ts'
import { StorageError } from '../../errors.ts'
import { type BackupManifest, COPY_FILE } from './manifest.ts'
import { openRegular } from './regular-file.ts'

/** Only the owner may read the data. */
export const FOLDER_MODE = 0o700
export const FILE_MODE = 0o600

/** What is read from a file at a time. */
const CHUNK_BYTES = 2 ** 20

export type FileHash = Pick<BackupManifest, 'bytes' | 'sha256'>

/** The length and the hash of a file, in constant memory. Rejects with the signal's reason. */
export async function hashOfFile(path: string, signal?: AbortSignal): Promise<FileHash> {
  const hash = createHash('sha256')
  let bytes = 0
  const chunks = createReadStream(path, { highWaterMark: CHUNK_BYTES, ...(signal && { signal }) })
  for await (const chunk of chunks) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}

/**
 * Writes what comes from a source into a new file, and syncs it. Resolves to its length and hash. `written` is told of
 * the bytes so far.
 */
export async function writeHashed(
  source: AsyncIterable<Uint8Array>,
  path: string,
  { written = () => {}, signal }: { readonly written?: (bytes: number) => void } & Signalled = {},
): Promise<FileHash> {
  const hash = createHash('sha256')
  let bytes = 0
  const counted = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      hash.update(chunk)
      bytes += chunk.length
      written(bytes)
      done(null, chunk)
    },
  })
  const file = createWriteStream(path, { flags: 'wx', mode: FILE_MODE, flush: true })
  await pipeline(source, counted, file, signal === undefined ? {} : { signal })
  return { bytes, sha256: hash.digest('hex') }
}

type Signalled = { readonly signal?: AbortSignal | undefined }

/** As `writeHashed`, of a file. */
export async function copyHashed(
  from: string,
  to: string,
  { bytesMax, ...options }: Parameters<typeof writeHashed>[2] & { readonly bytesMax: number },
): Promise<FileHash> {
  const file = await openRegular(from)
  // One byte more, so that a longer file is seen to be longer.
  const source = file.createReadStream({ highWaterMark: CHUNK_BYTES, start: 0, end: bytesMax })
  return await writeHashed(source, to, options)
}

/**
 * Rejects where a part of a closed store is still in its log, as on a disk that has become full: its file alone would
 * not be all of it.
 */
export async function requireWholeFile(folder: string): Promise<void> {
  const log = await stat(join(folder, `${COPY_FILE}-wal`)).catch(() => undefined)
  if (log === undefined || log.size === 0) return
  throw new StorageError('disk_full', `The disk of ${folder} has no room for all of the copy.`)
}

/** Makes the names in a folder durable, where the system can. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } catch (error) {
    // Windows has no such call.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  } finally {
    await handle.close()
  }
}

/** Whether something failed because a disk has no room, or its user may have no more of it. */
export function foundNoRoom(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return isFull(error) || code === 'ENOSPC' || code === 'EDQUOT'
}

/** Rejects with StorageError `disk_full` where the folder's disk has less room. Unknown room counts as enough. */
export async function requireRoom(folder: string, neededBytes: number): Promise<void> {
  const { blocks, bavail, bsize } = await statfs(folder)
  const freeBytes = bavail * bsize
  if (blocks === 0 || freeBytes >= neededBytes) return
  throw new StorageError(
    'disk_full',
    `The disk of ${folder} has ${freeBytes} bytes left, and ${neededBytes} are needed: give it more room, or take another disk.`,
    { freeBytes, neededBytes },
  )
}
