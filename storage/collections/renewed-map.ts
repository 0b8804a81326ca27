// SPDX-License-Identifier: Apache-2.0

/** Deletions after which a copy replaces a map; more when it is larger than that. */
const RENEWED_AFTER = 1_000

/**
 * A Map for entries that come and go with every transaction, over the whole life of the process.
 *
 * V8 gives a Map a new table whenever deletions have filled the old one, and lets the old table point to the new one,
 * for iterators that are under way. Once a table has become old enough for the old generation, which no young
 * collection looks through, each dead table keeps the next one alive, and each of them all that was in it: nothing that
 * was ever in the map dies young any more. A copy ends this, because no table points to its table.
 */
export class RenewedMap<Key, Value> {
  #map = new Map<Key, Value>()
  #deleted = 0

  get size(): number {
    return this.#map.size
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key)
  }

  has(key: Key): boolean {
    return this.#map.has(key)
  }

  set(key: Key, value: Value): void {
    this.#map.set(key, value)
  }

  delete(key: Key): void {
    if (!this.#map.delete(key)) return
    this.#deleted += 1
    if (this.#deleted < RENEWED_AFTER || this.#deleted < this.#map.size) return
    this.#map = new Map(this.#map)
    this.#deleted = 0
  }

  /** In the order of insertion. Nothing may be deleted meanwhile. */
  keys(): MapIterator<Key> {
    return this.#map.keys()
  }

  values(): MapIterator<Value> {
    return this.#map.values()
  }
}

/** The same for a set. */
export class RenewedSet<Value> {
  readonly #map = new RenewedMap<Value, true>()

  get size(): number {
    return this.#map.size
  }

  has(value: Value): boolean {
    return this.#map.has(value)
  }

  add(value: Value): void {
    this.#map.set(value, true)
  }

  delete(value: Value): void {
    this.#map.delete(value)
  }

  /** In the order of insertion. Nothing may be deleted meanwhile. */
  [Symbol.iterator](): MapIterator<Value> {
    return this.#map.keys()
  }
}
