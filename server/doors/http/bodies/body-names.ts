// SPDX-License-Identifier: Apache-2.0
import { endOfJsonString } from '../../../../storage/values/values.ts'

/**
 * So many members of one object cost what those of small ones do; more are kept in another way, at
 * several times the cost.
 */
const CHEAP_MEMBERS = 1_000

/** Names share this many marks: of 50,000 about one in forty meets the mark of another, and is not counted. */
const MARK_BITS = 20

/** Different in each process, so that no client can send names that share a mark. */
const FACTOR = Math.floor(Math.random() * 2 ** 31) * 2 + 1

/**
 * How many names of members `JSON.parse` has to make of the text: different ones, and all but the first thousand of
 * one object. One that it knows already costs next to nothing; to make one takes a microsecond or two. The text need
 * not be JSON.
 */
export function namesToMake(text: string): number {
  const marks = new Uint32Array(2 ** (MARK_BITS - 5))
  /** Members of each object that has begun. */
  const members: number[] = [0]
  let names = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === OPENING) members.push(0)
    else if (unit === CLOSING && members.length > 1) members.pop()
    else if (unit === QUOTE) {
      const end = endOfJsonString(text, at + 1)
      if (isName(text, end + 1)) {
        const last = members.length - 1
        const count = (members[last] as number) + 1
        members[last] = count
        if (count > CHEAP_MEMBERS || isNew(marks, markOf(text, at + 1, end))) names += 1
      }
      at = end
    }
  }
  return names
}

const QUOTE = 0x22
const COLON = 0x3a
const OPENING = 0x7b
const CLOSING = 0x7d
const SPACE = 0x20

/** Whether a colon follows. */
function isName(text: string, from: number): boolean {
  let at = from
  while (text.charCodeAt(at) <= SPACE) at += 1
  return text.charCodeAt(at) === COLON
}

function markOf(text: string, from: number, to: number): number {
  let hash = FACTOR
  for (let at = from; at < to; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), FACTOR)
    hash ^= hash >>> 15
  }
  return Math.imul(hash, FACTOR) >>> (32 - MARK_BITS)
}

function isNew(marks: Uint32Array, mark: number): boolean {
  const word = marks[mark >>> 5] as number
  const bit = 1 << (mark & 31)
  if ((word & bit) !== 0) return false
  marks[mark >>> 5] = word | bit
  return true
}
