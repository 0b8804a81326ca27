// SPDX-License-Identifier: Apache-2.0

/** Of this browser, for the server that the page is from. */
const KEY = 'percolite-saved-statements'
const SAVED_MAX = 200
const NAME_CHARACTERS_MAX = 100
const TEXT_CHARACTERS_MAX = 20_000

/** A token itself, which belongs in no list. */
const SECRET = /pct_\w/

export type Saved = { readonly name: string; readonly text: string }

type Kept = Pick<Storage, 'getItem' | 'setItem'>

/** What was saved before, by the order of names. */
export function readSaved(storage: Kept): readonly Saved[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isSaved) : []
  } catch {
    return []
  }
}

function isSaved(one: unknown): one is Saved {
  const { name, text } = (one ?? {}) as Partial<Record<string, unknown>>
  return typeof name === 'string' && typeof text === 'string'
}

/** Saves a text, in place of another one of its name. Returns what is saved then, or why it is not. */
export function saveStatement(
  storage: Kept,
  { name: given, text }: Saved,
): { readonly saved: readonly Saved[] } | { readonly problem: string } {
  const name = given.trim()
  const others = readSaved(storage).filter((one) => one.name !== name)
  if (name === '') return { problem: 'It needs a name.' }
  if (name.length > NAME_CHARACTERS_MAX)
    return { problem: `A name has at most ${NAME_CHARACTERS_MAX} characters.` }
  if (text.trim() === '') return { problem: 'There is no text in the editor.' }
  if (text.length > TEXT_CHARACTERS_MAX)
    return {
      problem: `A text has at most ${TEXT_CHARACTERS_MAX.toLocaleString('en-US')} characters.`,
    }
  if (SECRET.test(text)) return { problem: 'There is a token in the text, which is not kept.' }
  if (others.length >= SAVED_MAX)
    return { problem: `There are ${SAVED_MAX} already: remove one before.` }
  return written(storage, [...others, { name, text }])
}

/** Returns what is left. */
export function removeStatement(storage: Kept, name: string): readonly Saved[] {
  const left = readSaved(storage).filter((one) => one.name !== name)
  const done = written(storage, left)
  return 'saved' in done ? done.saved : readSaved(storage)
}

function written(storage: Kept, all: readonly Saved[]) {
  const saved = all.toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
  try {
    storage.setItem(KEY, JSON.stringify(saved))
    return { saved }
  } catch {
    return { problem: 'This browser has no room for it, or keeps nothing.' }
  }
}

/** All of them as one text of SQL, each after a comment with its name. */
export function savedAsText(saved: readonly Saved[]): string {
  return saved
    .map(({ name, text }) => {
      const title = name.replaceAll(/\s+/g, ' ')
      return `-- ${title}\n${text.trim().replace(/;$/, '')};\n`
    })
    .join('\n')
}
