// SPDX-License-Identifier: Apache-2.0
import { systemRandomness } from '../randomness.ts'

/**
 * A hash of 32 bits for the tables of this process in which rows are found by their keys. In each process it is
 * another one, so it must never be stored, and nobody outside can choose keys that all share a slot: they would
 * make one long list of what should be a table.
 */
const SEED = Math.floor(systemRandomness.fraction() * 2 ** 32) | 0

/** Of a row key as `rowKeyText` writes it. */
export function hashOfText(text: string, seed = SEED): number {
  let hash = seed
  for (let at = 0; at < text.length; at++) hash = mixed(hash ^ text.charCodeAt(at))
  return hash
}

/** Of the key that stands there; the same one as that of its text. */
export function hashOfKey(bytes: Uint8Array, from = 0, end = bytes.length, seed = SEED): number {
  let hash = seed
  for (let at = from; at < end; at++) hash = mixed(hash ^ (bytes[at] as number))
  return hash
}

/**
 * A step of FNV-1a, and then the upper half comes down. Without that the lowest byte of the hash would hang on the
 * lowest one of the seed alone: two keys that collide with one seed would do so with each 256th other.
 */
function mixed(hash: number): number {
  const product = Math.imul(hash, FNV_PRIME)
  return product ^ (product >>> 15)
}

const FNV_PRIME = 0x01000193
