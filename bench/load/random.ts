// SPDX-License-Identifier: Apache-2.0

/** Repeatable pseudo-random numbers: Doty-Humphrey's sfc32, with 128 bits of state. */
export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number) {
    this.#a = 0x9e3779b9
    this.#b = Math.floor(seed / 2 ** 32) | 0
    this.#c = seed | 0
    // Similar seeds give similar first numbers; after so many rounds they no longer do.
    for (let round = 0; round < 16; round += 1) this.#next32()
  }

  /** At least 0 and below 1, with 53 random bits. */
  next(): number {
    return ((this.#next32() >>> 5) * 2 ** 26 + (this.#next32() >>> 6)) / 2 ** 53
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  #next32(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    return sum
  }
}
