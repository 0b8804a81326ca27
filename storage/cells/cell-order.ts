// SPDX-License-Identifier: Apache-2.0
import { type Cell, FAMILIES, type Family } from './cell.ts'

const FAMILY_ORDER: Readonly<Record<Family, number>> = Object.freeze(
  Object.fromEntries(FAMILIES.map((family, at) => [family, at])) as Record<Family, number>,
)

/** A position in the order of the cells of one row, whether or not there is a cell. */
export type CellAddress = Pick<Cell, 'family' | 'qualifier' | 'timestamp'>

/** The order of the cells of one row: family as in `FAMILIES`, qualifier, newest timestamp first. */
export function compareCells(a: CellAddress, b: CellAddress): number {
  return compareColumns(a, b) || b.timestamp - a.timestamp
}

export function compareColumns(
  a: Pick<Cell, 'family' | 'qualifier'>,
  b: Pick<Cell, 'family' | 'qualifier'>,
): number {
  return compareFamilies(a.family, b.family) || compareQualifiers(a.qualifier, b.qualifier)
}

export function compareFamilies(a: Family, b: Family): number {
  return FAMILY_ORDER[a] - FAMILY_ORDER[b]
}

/**
 * Compares qualifiers by their UTF-8 bytes, which is the order of their code points. JavaScript's own
 * order differs: it puts U+10000 (a pair of surrogates D800 DC00) before U+FFFF.
 */
function compareQualifiers(a: string, b: string): number {
  if (a === b) return 0
  const shared = Math.min(a.length, b.length)
  for (let at = 0; at < shared; at++) {
    const difference = codeUnitRank(a.charCodeAt(at)) - codeUnitRank(b.charCodeAt(at))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** The rank of a code unit: surrogates above all others, where their code points belong. */
function codeUnitRank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
