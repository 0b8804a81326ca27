// SPDX-License-Identifier: Apache-2.0

const CHARACTERS_MAX = 2_000

/** What a user's code has thrown, for the log: it may be anything, and of any length. */
export function wordsOfThrown(thrown: unknown): string {
  try {
    const words = thrown instanceof Error ? (thrown.stack ?? thrown.message) : thrown
    return String(words).slice(0, CHARACTERS_MAX)
  } catch {
    return `a value of type ${typeof thrown}`
  }
}
