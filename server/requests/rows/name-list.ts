// SPDX-License-Identifier: Apache-2.0
import { ServerError, shortened } from '../../errors/server-error.ts'
import { unescapeComponent } from './key-path.ts'

/** A name of `columns=` or `order=`; what follows it, such as `desc`, is in `rest`. */
export type ListedName = { readonly name: string; readonly rest: string }

/**
 * Names with commas between them. A name stands in double quotes as in the dialect, where a quote in it
 * is doubled, or bare: then blanks around it mean nothing, and `~1` is a comma and `~0` a tilde, as in a
 * key. Linear in the text. Throws ServerError `invalid_request`.
 *
 *     id, "first, last" desc, a~1b      ->   id; first, last (rest: desc); a,b
 */
export function readNameList(parameter: string, text: string): ListedName[] {
  const names: ListedName[] = []
  for (let at = 0; ; at += 1) {
    while (isBlank(text[at])) at += 1
    const isQuoted = text[at] === '"'
    const quoted = isQuoted ? quotedName(parameter, text, at) : undefined
    const from = quoted?.end ?? at
    const comma = text.indexOf(',', from)
    const end = comma === -1 ? text.length : comma
    const part = text.slice(from, end).trim()
    names.push(quoted === undefined ? bareName(parameter, part) : { name: quoted.name, rest: part })
    if (comma === -1) return names
    at = comma
  }
}

/** The same where nothing may follow a name. */
export function readNames(parameter: string, text: string): string[] {
  return readNameList(parameter, text).map(({ name, rest }) => {
    if (rest === '') return name
    // A blank within a bare name belongs to it: names with blanks were always taken.
    throw wrongList(parameter, `nothing can follow a name in quotes, and ${shownPart(rest)} does`)
  })
}

/** A bare name of `order=` apart from its direction. */
export function splitDirection({ name, rest }: ListedName): ListedName {
  if (rest !== '') return { name, rest }
  const word = /^(.*[ \t])(asc|desc)$/is.exec(name)
  return word === null
    ? { name, rest }
    : { name: (word[1] as string).trim(), rest: word[2] as string }
}

function bareName(parameter: string, part: string): ListedName {
  if (part === '') throw wrongList(parameter, 'a name is missing')
  return { name: unescapeComponent(part), rest: '' }
}

function quotedName(
  parameter: string,
  text: string,
  start: number,
): { readonly name: string; readonly end: number } {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
  if (end === -1) throw wrongList(parameter, 'a quote is not closed')
  return { name: text.slice(start + 1, end).replaceAll('""', '"'), end: end + 1 }
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}

function shownPart(part: string): string {
  return JSON.stringify(shortened(part))
}

export function wrongList(parameter: string, why: string): ServerError {
  return new ServerError('invalid_request', `In ${parameter}, ${why}.`, {
    parameter,
    in: 'query',
    hint: 'write a name that has a comma or a quote in double quotes: "first, last"',
  })
}
