// SPDX-License-Identifier: Apache-2.0
import { systemRandomness } from '../randomness.ts'

/**
 * The seed of a 32-bit hash for this process' hash tables of rows. It differs in each process, so a hash must never be
 * stored, and no client can choose keys that all share a slot, which would turn a table into one long list.
 */
const SEED = Math.floor(systemRandomness.fraction() * 2 ** 32) | 0

/** The 32-bit hash of a row key in the form of `keyString`. */
export function hashOfText(text: string, seed = SEED): number {
  let hash = seed
  for (let at = 0; at < text.length; at++) hash = mixed(hash ^ text.charCodeAt(at))
  return hash
}

/** The 32-bit hash of the key in these bytes; equal to that of its text. */
export function hashOfKey(bytes: Uint8Array, from = 0, end = bytes.length, seed = SEED): number {
  let hash = seed
  for (let at = from; at < end; at++) {
    // `mixed`, written out: every read and write of a row runs through it, byte by byte.
    const product = Math.imul(hash ^ (bytes[at] as number), FNV_PRIME)
    hash = product ^ (product >>> 15)
  }
  return hash
}

/**
 * A step of FNV-1a that also mixes in the upper half. Without that the lowest byte of the hash would depend only on the
 * lowest byte of the seed: two keys that collide with one seed would do so with every 256th other.
 */
function mixed(hash: number): number {
  const product = Math.imul(hash, FNV_PRIME)
  return product ^ (product >>> 15)
}

const FNV_PRIME = 0x01000193
