// SPDX-License-Identifier: Apache-2.0

/** Bytes of values in `data` that are read in one turn. */
export const PART_BYTES_MAX = 4 * 1024 * 1024

/**
 * The rows, divided so that the values of a part that are in `data`, which `bytesOf` counts, take at most 4 MiB; a
 * larger row is a part of its own. Yields nothing if there are no rows.
 */
export function* valueParts<Row>(
  rows: readonly Row[],
  bytesOf: (row: Row) => number,
): Generator<readonly Row[]> {
  let start = 0
  let bytes = 0
  for (const [at, row] of rows.entries()) {
    const more = bytesOf(row)
    if (bytes + more > PART_BYTES_MAX && at > start) {
      yield rows.slice(start, at)
      start = at
      bytes = 0
    }
    bytes += more
  }
  if (rows.length > 0) yield start === 0 ? rows : rows.slice(start)
}
