// SPDX-License-Identifier: Apache-2.0
import { closeSync, constants, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { StorageError } from '../../errors.ts'

const OWNER_ONLY = 0o600

/** A file of one line of JSON in a data directory, which says what its store is. */
export class MarkFile<T extends object> {
  readonly #name: string
  readonly #decode: (found: Readonly<Record<string, unknown>>) => T

  constructor(name: string, decode: (found: Readonly<Record<string, unknown>>) => T) {
    this.#name = name
    this.#decode = decode
  }

  /** Undefined where there is none. Throws StorageError `data_directory_unusable` where it is damaged. */
  read(dataDirectory: string): T | undefined {
    const path = join(dataDirectory, this.#name)
    try {
      return this.#decode(JSON.parse(readFileSync(path, 'utf8')))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      const { message: reason } = error as Error
      const message = `The data directory ${dataDirectory} cannot be used: ${this.#name} cannot be read: ${reason}.`
      throw new StorageError('data_directory_unusable', message, {}, { cause: error })
    }
  }

  /** On the disk when it returns. */
  write(dataDirectory: string, mark: T): void {
    const { O_CREAT, O_TRUNC, O_WRONLY, O_NOFOLLOW = 0 } = constants
    const flags = O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW
    const file = openSync(join(dataDirectory, this.#name), flags, OWNER_ONLY)
    try {
      writeSync(file, `${JSON.stringify(mark)}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    syncNames(dataDirectory)
  }

  /** Also after a power failure. */
  remove(dataDirectory: string): void {
    rmSync(join(dataDirectory, this.#name), { force: true })
    syncNames(dataDirectory)
  }
}

function syncNames(folder: string): void {
  const handle = openSync(folder, constants.O_RDONLY)
  try {
    fsyncSync(handle)
  } catch (error) {
    // Windows has no such call.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  } finally {
    closeSync(handle)
  }
}
