// SPDX-License-Identifier: Apache-2.0
import { UsageError } from '../server/usage-error.ts'

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder.',
  EISDIR: 'it is a folder, and a file is asked for.',
  ENOTDIR: 'it is no folder.',
  EEXIST: 'there is a file of that name.',
  EACCES: 'this user may not use it.',
  EPERM: 'this user may not use it.',
  EROFS: 'its file system takes no writes.',
  ENOSPC: 'its disk is full.',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8.',
}

/** What is wrong with a file or a folder that a call names, from the error of Node.js. */
export function fileProblem(name: string, error: unknown): UsageError {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new UsageError(`${name}: ${WORDS[code] ?? `${message}.`}`)
}
