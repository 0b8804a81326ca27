// SPDX-License-Identifier: Apache-2.0

/** How many bytes of values that stand in `data` are read in one turn. */
export const PART_BYTES_MAX = 4 * 1024 * 1024

/**
 * The rows, divided so that the values of a part that stand in `data`, which `bytesOf` counts, take at most
 * 4 MiB; a larger row stands alone. Yields nothing where there are no rows.
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
