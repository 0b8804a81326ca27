// SPDX-License-Identifier: Apache-2.0
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/**
 * Opens a file that may come from anybody, to be read. Rejects with the error of Node.js, and for what is not a file: a
 * device or a pipe may never end.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  // A pipe is not waited for.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw Object.assign(new Error('it is a folder, a device or a pipe, and no file'), { path })
}

/** The text of such a file. Rejects also for more than so many bytes. */
export async function readRegular(path: string, bytesMax: number): Promise<string> {
  const file = await openRegular(path)
  try {
    const { size } = await file.stat()
    if (size > bytesMax) throw new Error(`it has more than ${bytesMax} bytes`)
    const bytes = Buffer.alloc(size)
    const { bytesRead } = await file.read(bytes)
    return bytes.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
