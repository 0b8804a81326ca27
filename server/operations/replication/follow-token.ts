// SPDX-License-Identifier: Apache-2.0
import { readFileOrPipe, readRegularSync } from '../../../storage/operations/operations.ts'
import { UsageError } from '../../usage-error.ts'

/** A token is shorter. */
const BYTES_MAX = 8_192

/** The token for the primary. Its file is read each time, so that one that was rotated is taken without a restart. */
export class FollowToken {
  readonly #path: string
  #text: string

  /** Throws UsageError where there is none. */
  constructor(path: string) {
    this.#path = path
    try {
      this.#text = tokenIn(readFileOrPipe(path, BYTES_MAX))
    } catch (error) {
      throw new UsageError(`--token-file ${path}: ${(error as Error).message}.`)
    }
  }

  /** The last one that could be read: a file that is being replaced, or a pipe, has none for a moment. */
  text(): string {
    try {
      this.#text = tokenIn(readRegularSync(this.#path, BYTES_MAX))
    } catch {
      // The primary says whether it still takes the one from before.
    }
    return this.#text
  }
}

function tokenIn(bytes: Buffer): string {
  const text = bytes.toString('utf8').trim()
  if (text === '' || /\s/.test(text)) throw new Error('the file holds no token')
  return text
}
