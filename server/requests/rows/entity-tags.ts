// SPDX-License-Identifier: Apache-2.0
import { ServerError, shortened } from '../../errors/server-error.ts'

/** One tag of a list; `text` is what stands between its quotes. */
export type EntityTag = { readonly isWeak: boolean; readonly text: string }

/** What If-Match or If-None-Match name: any representation at all, or these. */
export type EntityTags = 'any' | readonly EntityTag[]

/** RFC 9110, 8.8.3: visible characters but the quote, and what Node makes of bytes above ASCII. */
const TAG_TEXT = /^[\x21\x23-\x7e\x80-\xff]*$/

/**
 * The entity tags of a header field by RFC 9110 (8.8.3, 13.1.1, 13.1.2): `*`, or a list whose empty
 * elements mean nothing. Throws ServerError `invalid_request` for anything else: a condition that is
 * not understood is not one that is met.
 */
export function readEntityTags(name: string, field: string): EntityTags {
  const text = field.trim()
  if (text === '*') return 'any'
  const tags: EntityTag[] = []
  let at = 0
  let isSeparated = true
  while (at < text.length) {
    const character = text[at] as string
    if (character === ',') isSeparated = true
    if (character === ',' || character === ' ' || character === '\t') {
      at += 1
      continue
    }
    const isWeak = text.startsWith('W/', at)
    const quote = isWeak ? at + 2 : at
    const end = text[quote] === '"' ? text.indexOf('"', quote + 1) : -1
    const tag = text.slice(quote + 1, end)
    if (end === -1 || !isSeparated || !TAG_TEXT.test(tag)) throw malformed(name, text.slice(at))
    tags.push({ isWeak, text: tag })
    isSeparated = false
    at = end + 1
  }
  if (tags.length === 0) throw malformed(name, text)
  return tags
}

function malformed(name: string, from: string): ServerError {
  const shown = JSON.stringify(shortened(from))
  const detail = `${name} takes * or entity tags in double quotes with commas between them, not ${shown}.`
  return new ServerError('invalid_request', detail, { header: name })
}
