// SPDX-License-Identifier: Apache-2.0

const KEY = 'percolite-query-history'
const TEXTS_MAX = 200
const TEXT_CHARACTERS_MAX = 20_000

/** As the shell has it: texts of tokens, and tokens themselves. */
const SECRET = /token|pct_/i

type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** The texts that were run before, the newest first; without what they were answered. */
export function readHistory(storage: Kept): string[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter((text) => typeof text === 'string') : []
  } catch {
    return []
  }
}

/** Keeps a text, unless it begins with a blank or could hold a secret. Returns the history that there is then. */
export function addToHistory(storage: Kept, text: string): string[] {
  const history = readHistory(storage)
  const isKept = !text.startsWith(' ') && !SECRET.test(text) && text.length <= TEXT_CHARACTERS_MAX
  if (!isKept || text.trim() === '') return history
  const trimmed = text.trim()
  const all = [trimmed, ...history.filter((one) => one !== trimmed)].slice(0, TEXTS_MAX)
  try {
    storage.setItem(KEY, JSON.stringify(all))
  } catch {
    // There is no room, or the browser keeps nothing.
  }
  return all
}

export function clearHistory(storage: Kept): void {
  storage.removeItem(KEY)
}
