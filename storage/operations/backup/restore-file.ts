// SPDX-License-Identifier: Apache-2.0
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { holdStopped } from '../../cells/sqlite/file/stopped-folder.ts'
import { HEADER_BYTES, headerProblem } from '../../cells/sqlite/file/store-header.ts'
import { StorageError } from '../../errors.ts'
import { copyHashed } from './backup-files.ts'
import { COPY_FILE } from './manifest.ts'
import { openRegular } from './regular-file.ts'
import { type Restored, type RestoreOptions, restoreInto } from './restore-stage.ts'

/**
 * Makes a database in `dataDirectory` from the file of a store that was copied without Percolite: by Litestream, or by
 * `cp` while no server ran. Its log `FILE-wal` is taken with it, where there is one: without it the file may lack
 * commits, or be half of what a checkpoint writes. Rejects as `restoreInto` does.
 */
export async function restoreFile(
  file: string,
  dataDirectory: string,
  { check, onProgress = () => {} }: RestoreOptions,
): Promise<Restored> {
  const unusable = (reason: string) => copyUnusable(file, reason)
  await requireStore(file, unusable)
  const release = keepStopped(file, unusable)
  try {
    const found = await partsOf(file, unusable)
    const bytes = found.reduce((sum, part) => sum + part.bytes, 0)
    const source = {
      bytes,
      async copyInto(work: string) {
        let before = 0
        for (const part of found) {
          await copyPart(part, work, (done) => onProgress(before + done, bytes), unusable)
          before += part.bytes
        }
      },
      // Messages name the file that the user knows.
      unusable: (reason: string, path: string) => unusable(reason.replaceAll(path, file)),
    }
    return await restoreInto(dataDirectory, source, { check })
  } finally {
    release()
  }
}

type Unusable = (reason: string) => StorageError
type Part = { readonly from: string; readonly name: string; readonly bytes: number }

function copyUnusable(file: string, reason: string): StorageError {
  return new StorageError('backup_unusable', `The copy ${file} cannot be used: ${reason}.`)
}

/** Looks at its first bytes, before anything is made. */
async function requireStore(file: string, unusable: Unusable): Promise<void> {
  const header = Buffer.alloc(HEADER_BYTES)
  try {
    const opened = await openRegular(file)
    try {
      await opened.read(header)
    } finally {
      await opened.close()
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw unusable(code === 'ENOENT' ? 'there is no such file' : message)
  }
  const problem = headerProblem(header)
  if (problem !== undefined) throw unusable(problem)
}

/** No server may use the file meanwhile, and change it. */
function keepStopped(file: string, unusable: Unusable): () => void {
  const release = holdStopped(dirname(file))
  if (release !== undefined) return release
  throw unusable(
    'a server uses it, and changes it while it is read; percolite backup copies the database of a running server',
  )
}

async function partsOf(file: string, unusable: Unusable): Promise<readonly Part[]> {
  const bytesOf = async (path: string) => (await stat(path).catch(() => undefined))?.size ?? 0
  if ((await bytesOf(`${file}-journal`)) > 0) {
    throw unusable(`${file}-journal is of a transaction that was cut off, so it is no whole copy`)
  }
  const log = { from: `${file}-wal`, name: `${COPY_FILE}-wal` }
  const parts = [{ from: file, name: COPY_FILE }, log]
  const sized = await Promise.all(
    parts.map(async (part) => ({ ...part, bytes: await bytesOf(part.from) })),
  )
  return sized.filter(({ bytes }) => bytes > 0)
}

async function copyPart(
  { from, name, bytes }: Part,
  work: string,
  written: (bytes: number) => void,
  unusable: Unusable,
): Promise<void> {
  const found = await copyHashed(from, join(work, name), { written, bytesMax: bytes }).catch(
    (error: NodeJS.ErrnoException) => {
      throw error.path === from ? unusable(error.message) : error
    },
  )
  if (found.bytes === bytes) return
  throw unusable(`${from} had ${bytes} bytes, and changed while it was read`)
}
