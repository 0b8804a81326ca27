// SPDX-License-Identifier: Apache-2.0
import { truncateSync } from 'node:fs'
import { fileBytes, fileSystemOf } from '../disk-use.ts'

/** In bytes: what the file system has left, and what SQLite's log and file have of it. */
export type DiskSpace = {
  readonly free: number
  readonly log: number
  readonly store: number
}

/**
 * Moving a log may take as much space again, because each of its pages may be a new one of the file. The same amount
 * once more is reserved for a transaction that is larger than the others, and for other programs.
 */
const ROOM_FOR_EACH_BYTE = 3

/** Bytes of the log after which the disk's free space is read again, which takes 20 microseconds. */
const LOOK_BYTES = 4 * 2 ** 20

/** With this share the log is restarted every few groups. Less would not help. */
const SHARE_MIN = 1 / 1024

/** The disk that a store and its log lie on. */
export interface StoreDisk {
  space(): DiskSpace
  /** Truncates the log to this many bytes. */
  cutLog(bytes: number): void
}

/** The length that the log may reach on this disk, whose free space is read now and then. */
export class SqliteLogRoom {
  readonly #bytesWanted: number
  readonly #disk: StoreDisk
  #share = 1
  #lookedAt = Number.POSITIVE_INFINITY

  /** `logBytesMax` is what the log may take of a disk with enough space. */
  constructor(logBytesMax: number, disk: StoreDisk) {
    this.#bytesWanted = ROOM_FOR_EACH_BYTE * logBytesMax
    this.#disk = disk
  }

  /** The share of its usual lengths that the log may have: 1 unless the disk has little space. */
  shareFor(bytes: number): number {
    // While another process moves the log its length is not known.
    if (bytes < 0) return this.#share
    // A log that has become shorter was restarted.
    const isNew = bytes < this.#lookedAt || bytes >= this.#lookedAt + LOOK_BYTES * this.#share
    if (!isNew) return this.#share
    const { free, log } = this.#disk.space()
    this.#lookedAt = bytes
    this.#share = Math.max(SHARE_MIN, Math.min(1, (free + log) / this.#bytesWanted))
    return this.#share
  }

  /** The next call of `shareFor` reads the disk's free space. */
  lookAgain(): void {
    this.#lookedAt = Number.POSITIVE_INFINITY
  }
}

export class FileDisk implements StoreDisk {
  readonly #path: string

  constructor(storePath: string) {
    this.#path = storePath
  }

  space(): DiskSpace {
    return {
      free: freeBytesBeside(this.#path),
      log: fileBytes(this.#logPath),
      store: fileBytes(this.#path),
    }
  }

  /**
   * As SQLite does for `journal_size_limit`: frames after the last committed one are never read, and only the writer
   * thread, which calls this, makes new ones.
   */
  cutLog(bytes: number): void {
    try {
      if (fileBytes(this.#logPath) > bytes) truncateSync(this.#logPath, bytes)
    } catch {
      // The rest stays, and is overwritten.
    }
  }

  get #logPath(): string {
    return `${this.#path}-wal`
  }
}

/** An unknown amount of free space counts as unlimited. */
function freeBytesBeside(path: string): number {
  return fileSystemOf(path)?.freeBytes ?? Number.POSITIVE_INFINITY
}
