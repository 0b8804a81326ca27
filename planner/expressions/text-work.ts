// SPDX-License-Identifier: Apache-2.0
import { NODE_UNITS, type WorkMeter } from './work-meter.ts'

/** Characters of a text that are looked at together, between two payments. */
const SLICE = 64 * 1024

/** How many code points a text has; it is well-formed. */
export function codePoints(text: string, work: WorkMeter): number {
  let count = 0
  for (let start = 0; start < text.length; start += SLICE) {
    const end = Math.min(start + SLICE, text.length)
    work.spend(end - start)
    for (let at = start; at < end; at += 1) {
      // The second half of a pair adds nothing.
      if ((text.charCodeAt(at) & 0xfc00) !== 0xdc00) count += 1
    }
  }
  return count
}

/** The text in lower or upper case, a slice after the other. */
export function changedCase(text: string, to: 'lower' | 'upper', work: WorkMeter): string {
  if (text.length <= SLICE) return changedPart(text, to, work)
  // How a sigma is written in lower case depends on the letters around it, which may be any number.
  const dependsOnWord = to === 'lower' && text.includes('\u03a3')
  const parts: string[] = []
  for (let start = 0; start < text.length; ) {
    const end = dependsOnWord ? endOfWord(text, start + SLICE) : endOfPair(text, start + SLICE)
    parts.push(changedPart(text.slice(start, end), to, work))
    start = end
  }
  return parts.join('')
}

/** Outside of ASCII one character may become three, which takes the engine as long as a node. */
function changedPart(part: string, to: 'lower' | 'upper', work: WorkMeter): string {
  work.spend(part.length * (IS_ASCII.test(part) ? 1 : NODE_UNITS))
  return to === 'lower' ? part.toLowerCase() : part.toUpperCase()
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about all of ASCII.
const IS_ASCII = /^[\x00-\x7f]*$/

/** After the next blank, or at the end of the text. */
function endOfWord(text: string, from: number): number {
  const blank = text.indexOf(' ', from)
  return blank < 0 ? text.length : blank + 1
}

/** Not between the halves of a pair. */
function endOfPair(text: string, at: number): number {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at + 1 : Math.min(at, text.length)
}

/** The offset after so many code points from another offset; at most the end of the text. */
export function offsetAfter(text: string, from: number, count: number, work: WorkMeter): number {
  let at = from
  for (let left = count; left > 0 && at < text.length; ) {
    const steps = Math.min(left, SLICE, text.length - at)
    work.spend(steps)
    left -= steps
    for (let step = 0; step < steps && at < text.length; step += 1) at += lengthAt(text, at)
  }
  return at
}

/** The text without these characters at its ends. */
export function trimmed(
  text: string,
  of: { readonly characters: string; readonly start: boolean; readonly end: boolean },
  work: WorkMeter,
): string {
  const dropped = codePointsOf(of.characters, work)
  let from = 0
  let to = text.length
  while (of.start && from < to && dropped.has(text.codePointAt(from))) {
    work.spend(STEP_UNITS)
    from += lengthAt(text, from)
  }
  for (let at = startBefore(text, to); of.end && from < to; at = startBefore(text, to)) {
    if (!dropped.has(text.codePointAt(at))) break
    work.spend(STEP_UNITS)
    to = at
  }
  return text.slice(from, to)
}

function codePointsOf(characters: string, work: WorkMeter): ReadonlySet<number | undefined> {
  const points = new Set<number | undefined>()
  for (let at = 0; at < characters.length; at += lengthAt(characters, at)) {
    work.spend(KEPT_UNITS)
    points.add(characters.codePointAt(at))
  }
  return points
}

/** What it costs to look a character up in a set. */
const STEP_UNITS = 4
/** What it costs to keep one in a set. */
const KEPT_UNITS = 2 * NODE_UNITS

function lengthAt(text: string, at: number): number {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 ? 2 : 1
}

/** Where the character begins that ends there. */
function startBefore(text: string, end: number): number {
  return (text.charCodeAt(end - 1) & 0xfc00) === 0xdc00 ? end - 2 : end - 1
}
