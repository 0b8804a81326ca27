// SPDX-License-Identifier: Apache-2.0

const DIGITS_MIN = 3

/** Names stamps by their last digits, as many as tell these ones from each other: `…046`. */
export function stampLabels(stamps: readonly number[]): (timestamp: number) => string {
  const texts = stamps.map(String)
  const [first = ''] = texts
  let same = 0
  while (same < first.length && texts.every((text) => text[same] === first[same])) same += 1
  const digits = Math.max(DIGITS_MIN, first.length - same)
  return (timestamp) => {
    const text = String(timestamp)
    return text.length <= digits ? text : `…${text.slice(-digits)}`
  }
}
