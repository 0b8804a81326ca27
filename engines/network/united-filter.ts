// SPDX-License-Identifier: Apache-2.0
import type { CellSelector, RowFilter } from '../../storage/cells/row-filter.ts'

/**
 * A filter that leaves all cells which one of these leaves, and few others: applied to what it leaves, each of them
 * leaves what it leaves of the whole row. Snapshots of about the same time look for the newest cells up to about the
 * same timestamp, so they become two selectors:
 *
 *     newest 1 below 107, newest 1 below 103     newest 1 below 103, all from 103 to below 107
 */
export function unitedFilter(filters: readonly RowFilter[]): RowFilter {
  const [first = []] = filters
  if (filters.length <= 1) return first
  const groups = new Map<string, CellSelector[]>()
  for (const selector of filters.flat().map(withNewestOfAnyValue)) {
    const { family, qualifier, timestamps, newest, values } = selector
    const bytes = values && [values.start, values.end].map((one) => one && hex(one))
    const key = JSON.stringify([family, qualifier ?? null, timestamps?.from, newest, bytes])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [selector])
    else group.push(selector)
  }
  return [...groups.values()].flatMap(unitedGroup)
}

/** Values are looked at after the newest are taken: without a newer cell, an older one would be among the newest. */
function withNewestOfAnyValue(selector: CellSelector): CellSelector {
  const { values, ...others } = selector
  return selector.newest === undefined || values === undefined ? selector : others
}

/** Selectors that differ in the end of their timestamps only. */
function unitedGroup(group: readonly CellSelector[]): CellSelector[] {
  const [selector] = group as [CellSelector]
  const ends = group.map(({ timestamps }) => timestamps?.until ?? Infinity)
  const [earliest, latest] = [Math.min(...ends), Math.max(...ends)]
  const { timestamps: { from } = {}, newest, ...column } = selector
  if (earliest === latest) return [selector]
  const until = latest === Infinity ? {} : { until: latest }
  if (newest === undefined) return [{ ...selector, timestamps: { ...startOf(from), ...until } }]
  return [
    { ...selector, timestamps: { ...startOf(from), until: earliest } },
    { ...column, timestamps: { from: Math.max(earliest, from ?? 0), ...until } },
  ]
}

function startOf(from: number | undefined) {
  return from === undefined ? {} : { from }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
