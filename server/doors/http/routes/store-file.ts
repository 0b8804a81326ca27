// SPDX-License-Identifier: Apache-2.0
import type { ReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { FastifyReply } from 'fastify'
import type { RunningRequest } from '../../../requests/prepared/running-request.ts'

/** How long a file of a store is, and its SHA-256 in hexadecimal. */
type FileHash = { readonly bytes: number; readonly sha256: string }

export function headOfStoreFile(reply: FastifyReply, { bytes, sha256 }: FileHash): void {
  const digest = Buffer.from(sha256, 'hex').toString('base64')
  reply.header('content-type', 'application/vnd.sqlite3')
  reply.header('content-length', bytes).header('digest', `sha-256=${digest}`)
}

/** The body: the file piece by piece, as its reader takes it. Then the request has ended. */
export function sendStoreFile(
  reply: FastifyReply,
  running: RunningRequest,
  { file, ...hash }: FileHash & { readonly file: FileHandle },
): ReadStream {
  headOfStoreFile(reply, hash)
  const stream = file.createReadStream({ signal: running.signal })
  stream.once('close', () => running.end())
  return stream
}
