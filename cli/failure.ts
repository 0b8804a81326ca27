// SPDX-License-Identifier: Apache-2.0
import { StorageError } from '../storage/storage.ts'
import { EXIT, type ExitCode } from './command.ts'
import { exitCodeOfServer } from './connection/server-failure.ts'

/** What a command says of an error; `whenLocked` is the way where a server uses the folder. */
export function failureText(error: unknown, whenLocked: string): string {
  const text = error instanceof Error ? error.message : String(error)
  return hasCode(error, 'data_directory_locked') ? `${text} ${whenLocked}` : text
}

export function exitCodeOf(error: unknown): ExitCode {
  const isOut = hasCode(error, 'data_directory_locked') || hasCode(error, 'data_directory_unusable')
  return isOut ? EXIT.unreachable : exitCodeOfServer(error)
}

function hasCode(error: unknown, code: StorageError['code']): boolean {
  return error instanceof StorageError && error.code === code
}
