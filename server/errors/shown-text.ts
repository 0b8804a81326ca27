// SPDX-License-Identifier: Apache-2.0

/** Characters of a name or a value that an error quotes: enough to find it, and not all of a megabyte. */
const QUOTED_CHARACTERS_MAX = 100

/** A text of the client as an error quotes it. */
export function shortened(text: string, charactersMax = QUOTED_CHARACTERS_MAX): string {
  if (text.length <= charactersMax) return text
  return `${text.slice(0, charactersMax).toWellFormed()}…`
}

/** Why the system refused something: the code of the error, which says more than its message, where it has one. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
