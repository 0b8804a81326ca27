// SPDX-License-Identifier: Apache-2.0

/** Skein's parity constant, by which the third key word differs from the other two. */
const KEY_PARITY = 0x1bd11bda
const ROUNDS = 20
const ROTATIONS = [13, 15, 26, 6, 17, 29, 16, 24] as const
const STREAM_MAX = 255
const DRAWS_MAX = 2 ** 24

/**
 * Random numbers without a state that runs along: a number is a function of the seed and of its
 * address, which is a stream, a row in it and the place of the draw in that row. So any row can be made
 * alone and in any order. The function is Threefry-2x32 with 20 rounds (Salmon and others, "Parallel
 * random numbers: as easy as 1, 2, 3", 2011).
 */
export class CounterRandom {
  readonly #key: readonly [number, number]

  /** @param seed 64 bits. */
  constructor(seed: bigint) {
    this.#key = [Number(BigInt.asIntN(32, seed)), Number(BigInt.asIntN(32, seed >> 32n))]
  }

  /** @param stream 0 to 255. @param row 0 to 2^32 - 1. */
  row(stream: number, row: number): RowRandom {
    if (stream < 0 || stream > STREAM_MAX) throw new RangeError(`stream ${stream}`)
    return new RowRandom(this.#key, stream, row)
  }
}

/** The draws of one row, in their order. */
export class RowRandom {
  readonly #key: readonly [number, number]
  readonly #row: number
  #address: number
  #draws = 0

  constructor(key: readonly [number, number], stream: number, row: number) {
    this.#key = key
    this.#row = row
    this.#address = stream * DRAWS_MAX
  }

  /** At least 0 and below 1, with 53 random bits. */
  next(): number {
    if (this.#draws === DRAWS_MAX) throw new RangeError('a row has too many draws')
    const [first, second] = threefry(this.#key, [this.#row, this.#address + this.#draws])
    this.#draws += 1
    return ((first >>> 5) * 2 ** 26 + (second >>> 6)) / 2 ** 53
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  /** A whole number from `first` to `last`. */
  between(first: number, last: number): number {
    return first + this.below(last - first + 1)
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] as Item
  }

  /** So many different whole numbers from 0 to `count` - 1, in the order in which they were drawn. */
  distinctBelow(count: number, howMany: number): number[] {
    if (howMany > count) throw new RangeError(`${howMany} of ${count}`)
    const drawn = new Set<number>()
    while (drawn.size < howMany) drawn.add(this.below(count))
    return [...drawn]
  }
}

/** A block of 64 bits for each counter. Exported for its published test vectors. */
function threefry(
  [key0, key1]: readonly [number, number],
  [counter0, counter1]: readonly [number, number],
): [number, number] {
  const keys = [key0 | 0, key1 | 0, key0 ^ key1 ^ KEY_PARITY]
  let first = (counter0 + key0) | 0
  let second = (counter1 + key1) | 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const rotation = ROTATIONS[round % 8] as number
    first = (first + second) | 0
    second = ((second << rotation) | (second >>> (32 - rotation))) ^ first
    if (round % 4 !== 3) continue
    const injection = (round + 1) / 4
    first = (first + (keys[injection % 3] as number)) | 0
    second = (second + (keys[(injection + 1) % 3] as number) + injection) | 0
  }
  return [first >>> 0, second >>> 0]
}
