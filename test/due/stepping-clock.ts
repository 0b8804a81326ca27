// SPDX-License-Identifier: Apache-2.0

/**
 * Loaded before a server: its wall clock is moved every second by up to `STEPPED_MS` in either direction, as by one who
 * sets it. The monotonic clock goes on as it is.
 */
const most = Number(process.env.STEPPED_MS ?? 0)
const now = Date.now.bind(Date)
let shiftMs = 0
if (most > 0) {
  const step = () => {
    shiftMs = Math.round((Math.random() * 2 - 1) * most)
  }
  setInterval(step, 1_000).unref()
  Date.now = () => now() + shiftMs
}
