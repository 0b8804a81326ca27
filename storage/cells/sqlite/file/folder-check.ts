// SPDX-License-Identifier: Apache-2.0
import { lstatSync, mkdirSync, type Stats, statSync } from 'node:fs'
import { platform } from 'node:os'
import { dirname, join } from 'node:path'
import { StorageError } from '../../../errors.ts'

/** Only the owner may read the data. */
const FOLDER_MODE = 0o700
export const FILE_MODE = 0o600

const GROUP_WRITES = 0o020
const OTHERS_WRITE = 0o002
const STICKY = 0o1000

/** Windows has no such modes. */
const HAS_MODES = platform() !== 'win32'

/**
 * Creates a folder and its missing parents; an existing one stays as it is. A recursive `mkdirSync` never returns if an
 * existing parent takes no entries, as in `/proc`.
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
 * Refuses a world-writable folder: a user who can create a file there can take over the database. In a sticky one, such
 * as `/tmp`, files cannot be replaced by others. Throws `data_directory_unusable`.
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

/**
 * A warning for the operator about a folder that others may write to, or undefined. `ownFile` is a file that this
 * process has made in it.
 */
export function warningOf(path: string, ownFile: string): string | undefined {
  if (!HAS_MODES) return undefined
  const { mode, uid } = statSync(path)
  if (uid !== statSync(ownFile).uid) return 'the data directory belongs to another user'
  if ((mode & (GROUP_WRITES | OTHERS_WRITE)) === 0) return undefined
  return 'the data directory can be written by other users'
}

/**
 * Refuses a link, or anything else that is not a plain file, at the path of one of the store's files: writes through it
 * would go elsewhere. Throws `data_directory_unusable`.
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
