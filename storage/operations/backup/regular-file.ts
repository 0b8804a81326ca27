// SPDX-License-Identifier: Apache-2.0
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** A pipe is not waited for. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
const CHUNK_BYTES = 64 * 1024

/**
 * Opens a file that may come from anybody, to be read. Rejects with the error of Node.js, for what is not a file (a
 * device or a pipe may never end), and for more than so many bytes. A link to a file is one.
 */
export async function openRegular(
  path: string,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<FileHandle> {
  const file = await open(path, FLAGS)
  const stats = await file.stat()
  if (stats.isFile() && stats.size <= bytesMax) return file
  await file.close()
  throw stats.isFile() ? tooLong(bytesMax) : noFile('a folder, a device or a pipe', path)
}

/** The text of such a file. Rejects also for more than so many bytes. */
export async function readRegular(path: string, bytesMax: number): Promise<string> {
  const file = await openRegular(path, bytesMax)
  try {
    const { size } = await file.stat()
    const bytes = Buffer.alloc(size)
    const { bytesRead } = await file.read(bytes)
    return bytes.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The bytes of such a file, for a call that waits for them. Throws as `readRegular` rejects. */
export function readRegularSync(path: string, bytesMax: number): Buffer {
  const file = openSync(path, FLAGS)
  try {
    if (!fstatSync(file).isFile()) throw noFile('a folder, a device or a pipe', path)
    return readWhole(file, bytesMax)
  } finally {
    closeSync(file)
  }
}

/** As `readRegularSync`, also of a pipe, such as `<(…)` of a shell: until its end, or until so many bytes have come. */
export function readFileOrPipe(path: string, bytesMax: number): Buffer {
  const isPipe = statSync(path).isFIFO()
  const file = openSync(path, isPipe ? constants.O_RDONLY : FLAGS)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile() && !stats.isFIFO()) throw noFile('a folder or a device', path)
    return readWhole(file, bytesMax)
  } finally {
    closeSync(file)
  }
}

function readWhole(file: number, bytesMax: number): Buffer {
  const chunks: Buffer[] = []
  let bytes = 0
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytesMax + 1 - bytes))
    const read = readSync(file, chunk)
    if (read === 0) return Buffer.concat(chunks, bytes)
    bytes += read
    if (bytes > bytesMax) throw tooLong(bytesMax)
    chunks.push(chunk.subarray(0, read))
  }
}

function noFile(what: string, path: string): Error {
  return Object.assign(new Error(`it is ${what}, and no file`), { path })
}

function tooLong(bytesMax: number): Error {
  return new Error(`it has more than ${bytesMax} bytes`)
}
