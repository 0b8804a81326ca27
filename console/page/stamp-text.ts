// SPDX-License-Identifier: Apache-2.0

/** The time of a stamp in UTC, to the microsecond: `2026-11-27 16:33:05.123456`. */
export function stampText(micros: number | bigint): string {
  return isoOf(micros).replace('T', ' ').replace('Z', '')
}

/** As `AS OF` and `datetime` take it: `2026-11-27T16:33:05.123456Z`. */
export function isoOf(micros: number | bigint): string {
  const all = BigInt(micros)
  const rest = ((all % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = Number((all - rest) / 1_000_000n)
  const whole = new Date(seconds * 1_000).toISOString().slice(0, 19)
  return `${whole}.${String(rest).padStart(6, '0')}Z`
}

/** The same moment where the reader is, with the name of the zone, and the number itself. */
export function localText(micros: number | bigint): string {
  const local = new Date(Number(micros) / 1_000).toLocaleString(undefined, {
    dateStyle: 'medium',
    timeStyle: 'long',
  })
  return `${local} · ${micros}`
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const

/** A duration in one or two units: `350 ms`, `1.9 s`, `5 min 3 s`, `2 d 4 h`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`
  if (ms < 60_000) return `${Math.round(ms / 100) / 10} s`
  const at = UNITS.findIndex(([size]) => ms >= size)
  const [size, unit] = UNITS[at] as (typeof UNITS)[number]
  const [smaller, smallerUnit] = UNITS[at + 1] as (typeof UNITS)[number]
  const rest = Math.floor((ms % size) / smaller)
  return `${Math.floor(ms / size)} ${unit}${rest === 0 ? '' : ` ${rest} ${smallerUnit}`}`
}

/** Bytes by thousands: `812 B`, `29.6 MB`. */
export function bytesText(bytes: number): string {
  const names = ['B', 'kB', 'MB', 'GB', 'TB']
  let at = 0
  let shown = bytes
  while (shown >= 999.5 && at < names.length - 1) {
    shown /= 1_000
    at += 1
  }
  return `${at === 0 || shown >= 99.5 ? Math.round(shown) : shown.toFixed(1)} ${names[at]}`
}

/** With a comma at each thousand. */
export function countText(count: number | bigint): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** `1 row`, `1,200 rows`. */
export function countedText(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`
}
