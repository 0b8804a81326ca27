// SPDX-License-Identifier: Apache-2.0

/** What SQLite's log holds that is valid: the frames with the salts of its header (sqlite.org/fileformat). */
export type WriteAheadLog = {
  /** Names the generation: it changes when the log is restarted after a checkpoint. */
  readonly salts: string
  readonly frameBytes: number
  /** Bytes up to the end of the last frame that ends a transaction. */
  readonly committedBytes: number
}

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/** Checksums are not looked at: what a process that was stopped has written is whole. */
export function readWriteAheadLog(log: Buffer): WriteAheadLog | undefined {
  if (log.length < HEADER_BYTES) return undefined
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8)
  const salts = log.subarray(16, 24)
  let committedBytes = HEADER_BYTES
  for (let at = HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    if (!log.subarray(at + 8, at + 16).equals(salts)) break
    // The size of the database after the transaction; 0 in all frames but its last.
    if (log.readUInt32BE(at + 4) > 0) committedBytes = at + frameBytes
  }
  return { salts: salts.toString('hex'), frameBytes, committedBytes }
}

/**
 * How many frames of the log have been moved into the file, or are being moved just now
 * (`nBackfill` and `nBackfillAttempted` in the log's index). They were synced before that.
 */
export function framesMoved(index: Buffer): number {
  const position = 2 * 48
  const attempted = position + 4 + 5 * 4 + 8
  if (index.length < attempted + 4) return 0
  return Math.max(index.readUInt32LE(position), index.readUInt32LE(attempted))
}
