// SPDX-License-Identifier: Apache-2.0

const DIGITS_MIN = 3

/** Names stamps by their last digits, as many as tell these ones from each other: `…046`. */
export function stampLabels(stamps: readonly number[]): (timestamp: number) => string {
  const texts = [...new Set(stamps)].map(String)
  const isEnough = (count: number) =>
    new Set(texts.map((text) => text.slice(-count))).size === texts.length
  let digits = DIGITS_MIN
  while (!isEnough(digits)) digits += 1
  return (timestamp) => {
    const text = String(timestamp)
    return text.length <= digits ? text : `…${text.slice(-digits)}`
  }
}
