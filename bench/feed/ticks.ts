// SPDX-License-Identifier: Apache-2.0

// The table that is subscribed to: its rows carry the number of the commit that wrote them last, in so
// many digits that it stands at a fixed distance from the end of each frame.

export const TICKS = 64
export const CREATE_TICKS = 'CREATE TABLE tick (id INTEGER PRIMARY KEY, body TEXT, n TEXT)'
export const WRITE_TICK = 'SET body = $1, n = $2 ON tick WHERE id = $3'
/** Everybody is concerned by every commit. */
export const SUBSCRIBE_TICKS = 'SCAN body, n FROM tick USE PRIMARY KEY'

const DIGITS = 10
/** What stands behind the digits in a frame with one change. */
const TAIL = '"}}],"last":true}'
const CHANGE = Buffer.from('{"type":"change"')

export function tickName(number: number): string {
  return String(number).padStart(DIGITS, '0')
}

/** The number of the commit whose only change the frame is; undefined for other frames. */
export function tickOfFrame(buffer: Buffer, start: number, end: number): number | undefined {
  if (buffer.compare(CHANGE, 0, CHANGE.length, start, start + CHANGE.length) !== 0) return undefined
  const tail = end - TAIL.length
  let number = 0
  for (let at = tail - DIGITS; at < tail; at += 1) {
    const digit = (buffer[at] as number) - 48
    if (digit < 0 || digit > 9)
      throw new Error(`not a tick: ${buffer.toString('utf8', start, end)}`)
    number = number * 10 + digit
  }
  return number
}
