// SPDX-License-Identifier: Apache-2.0
import { realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'

/** A part of a path that leads nowhere else, on any system. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
/** Names of devices on Windows, in any folder: a backup with such a name could not be copied there. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i

/** What `isBackupName` asks for, as it is said to users. */
export const BACKUP_NAME_RULE =
  'has letters, digits, _ and -, at most 64, begins with a letter or digit, and is no device of Windows such as con or nul'

/** Whether a backup that a server makes may have this name. */
export function isBackupName(name: string): boolean {
  return NAME.test(name) && !DEVICE.test(name)
}

/** Whether a path, which need not exist, is a folder or in it, by whatever links it leads there. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(realPath(folder), realPath(path))
  return way !== '..' && !way.startsWith(`..${sep}`) && resolve(way) !== way
}

/** The part that exists without its links. */
function realPath(path: string): string {
  const whole = resolve(path)
  try {
    return realpathSync(whole)
  } catch {
    const above = dirname(whole)
    return above === whole ? whole : join(realPath(above), basename(whole))
  }
}
