// SPDX-License-Identifier: Apache-2.0
import { close, closeSync, constants, fstatSync, openSync, readSync, write } from 'node:fs'
import { promisify } from 'node:util'
import type { Clock } from '../../../storage/storage.ts'

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants
const OWNER_ONLY = 0o600
const WRITABLE_BY_OTHERS = 0o022
const STDOUT = 1
const FULL_PIPE_MS = 50
const NEWLINE = 0x0a

const writeTo = promisify(write)
const closeIt = promisify(close)

/** Where lines of the audit log go. */
export interface AuditTarget {
  /** Resolves to how many of these bytes have been written. Rejects with an error of the system. */
  write(bytes: Buffer): Promise<number>
  close(): Promise<void>
  /** Whether what it has ends within a line, as after a crash. */
  readonly isTorn: boolean
}

/**
 * The file at this path, to append to: made where it is missing, for its owner only. Throws Error where it cannot be
 * opened, is a link, no file, or one that others may write to.
 */
export function openAuditFile(path: string): AuditTarget {
  // Without waiting, or a pipe that nobody reads would hold the server.
  const flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK
  const file = openSync(path, flags, OWNER_ONLY)
  try {
    return { ...targetOf(file), isTorn: endsWithinLine(file), close: () => closeIt(file) }
  } catch (error) {
    closeSync(file)
    throw error
  }
}

/** The standard output of the process, which stays open; a pipe that is full is tried again. */
export function standardOutput(clock: Pick<Clock, 'sleep'>): AuditTarget {
  const { write } = targetOf(STDOUT)
  const writeWhenReady = async (bytes: Buffer): Promise<number> => {
    for (;;) {
      try {
        return await write(bytes)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
        await clock.sleep(FULL_PIPE_MS)
      }
    }
  }
  return { write: writeWhenReady, isTorn: false, close: async () => {} }
}

function targetOf(file: number): Pick<AuditTarget, 'write'> {
  return { write: async (bytes) => (await writeTo(file, bytes)).bytesWritten }
}

/** Throws Error for what is no file, or not one of its owner alone. */
function endsWithinLine(file: number): boolean {
  const stat = fstatSync(file)
  if (stat.isCharacterDevice()) return false
  if (!stat.isFile()) throw new Error('it is no file')
  if ((stat.mode & WRITABLE_BY_OTHERS) !== 0) throw new Error('others may write to it')
  if (stat.size === 0) return false
  const last = Buffer.alloc(1)
  readSync(file, last, 0, 1, stat.size - 1)
  return last[0] !== NEWLINE
}
