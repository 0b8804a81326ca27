// SPDX-License-Identifier: Apache-2.0

/** 64 bits as two unsigned halves. */
export type Hash64 = { readonly high: number; readonly low: number }

// The offset basis of FNV with 64 bits. Its prime is 2^40 + 0x1b3.
const BASIS_HIGH = 0xcbf29ce4
const BASIS_LOW = 0x84222325
const PRIME_LOW = 0x1b3

/**
 * FNV-1a over the eight octets of a number, the lowest first, as YCSB scatters its keys; then, as
 * there, without the sign of a 64-bit integer. Halves and not a BigInt: this is done for each request.
 *
 * @param value a whole number from 0 to 2^53 - 1
 */
export function fnvHash64(value: number): Hash64 {
  let high = BASIS_HIGH
  let low = BASIS_LOW
  let rest = value
  for (let octet = 0; octet < 8; octet += 1) {
    low = (low ^ (rest % 256)) >>> 0
    rest = Math.floor(rest / 256)
    // hash * 2^40 moves the low half up by eight bits; hash * 0x1b3 stays below 2^53 in each half.
    const product = low * PRIME_LOW
    const carry = Math.floor(product / 2 ** 32)
    high = (high * PRIME_LOW + carry + ((low << 8) >>> 0)) % 2 ** 32
    low = product % 2 ** 32
  }
  return withoutSign(high, low)
}

/** The remainder of a division; `divisor` is at most 90 million, so that no product exceeds 2^53. */
export function remainder(hash: Hash64, divisor: number): number {
  return ((hash.high % divisor) * (2 ** 32 % divisor) + (hash.low % divisor)) % divisor
}

function withoutSign(high: number, low: number): Hash64 {
  if (high < 2 ** 31) return { high, low }
  // Two's complement; the smallest integer, whose negative does not exist, stays what it is.
  const negatedLow = (~low + 1) >>> 0
  const negatedHigh = (~high + (negatedLow === 0 ? 1 : 0)) >>> 0
  return { high: negatedHigh, low: negatedLow }
}
