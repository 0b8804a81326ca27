// SPDX-License-Identifier: Apache-2.0
import { StorageError } from '../../storage/storage.ts'

/** What a command says of an error; `whenLocked` is the way where a server uses the folder. */
export function commandFailure(error: unknown, whenLocked: string): string {
  const text = error instanceof Error ? error.message : String(error)
  if (!(error instanceof StorageError) || error.code !== 'data_directory_locked') return text
  return `${text} ${whenLocked}`
}
