// SPDX-License-Identifier: Apache-2.0
import { lstatSync, mkdirSync, type Stats, statSync } from 'node:fs'
import { platform } from 'node:os'
import { dirname, join } from 'node:path'
import { StorageError } from '../../../errors.ts'

/** Nobody but their owner may look into the data. */
const FOLDER_MODE = 0o700
export const FILE_MODE = 0o600

const GROUP_WRITES = 0o020
const OTHERS_WRITE = 0o002
const STICKY = 0o1000

/** Windows has no such owners and modes. */
const HAS_MODES = platform() !== 'win32'

/**
 * Makes a folder and those above it that are missing; one that is there stays as it is. `mkdirSync` by itself
 * never ends where a folder is there and takes no entries, as in `/proc`.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: FOLDER_MODE })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    const above = dirname(path)
    const isAboveMissing = statSync(above, { throwIfNoEntry: false }) === undefined
    if (code !== 'ENOENT' || above === path || !isAboveMissing) throw error
    makeFolder(above)
    mkdirSync(path, { mode: FOLDER_MODE })
  }
}

/**
 * Refuses a folder in which everybody may write: whoever can put a file there can take the database over. A
 * sticky one, as `/tmp` is, keeps files from being replaced. Throws `data_directory_unusable`.
 */
export function refuseOpenFolder(path: string): void {
  if (!HAS_MODES) return
  const { mode } = statSync(path)
  if ((mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0) return
  throw new StorageError(
    'data_directory_unusable',
    `The data directory ${path} can be written by everybody; take that away (chmod 700 ${path}).`,
  )
}

/** What an operator should know of a folder that others may write to, by a file that this process has made in it. */
export function warningOf(path: string, ownFile: string): string | undefined {
  if (!HAS_MODES) return undefined
  const { mode, uid } = statSync(path)
  if (uid !== statSync(ownFile).uid) return 'the data directory belongs to another user'
  if ((mode & (GROUP_WRITES | OTHERS_WRITE)) === 0) return undefined
  return 'the data directory can be written by other users'
}

/**
 * Refuses a link, or anything else that is no file, where a file of the store is or would be: what is written
 * through it would be written elsewhere. Throws `data_directory_unusable`.
 */
export function requirePlainFiles(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const file = join(folder, name)
    const found = lstatSync(file, { throwIfNoEntry: false })
    if (found === undefined || found.isFile()) continue
    throw new StorageError(
      'data_directory_unusable',
      `${file} is ${kindOf(found)} and not a file. The data directory itself may be elsewhere (--data); its files may not.`,
    )
  }
}

function kindOf(found: Stats): string {
  if (found.isSymbolicLink()) return 'a symbolic link'
  return found.isDirectory() ? 'a folder' : 'a device, a pipe or a socket'
}
