// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashOfKey, hashOfText } from './row-hash.ts'
import { keyString } from './row-key.ts'

test('a row has the same hash by its key, wherever that stands, and by its text', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.nat(5), fc.maxSafeInteger(), (key, before, number) => {
      const seed = number | 0
      const standing = Buffer.concat([Buffer.alloc(before, 7), key, Buffer.alloc(3, 7)])
      const hash = hashOfText(keyString(key), seed)
      assert.equal(hash, hash | 0)
      assert.equal(hashOfKey(key, 0, key.length, seed), hash)
      assert.equal(hashOfKey(standing, before, before + key.length, seed), hash)
      assert.equal(hashOfKey(key), hashOfText(keyString(key)))
    }),
  )
})

test('keys that collide with one seed do not with others, however alike the seeds are', () => {
  const seed = 0x5eed
  const colliding = pairsColliding(seed)
  assert.ok(colliding.length > 10)
  let again = 0
  for (let step = 1; step < 256; step++) {
    const other = seed + (step << 8)
    for (const [one, another] of colliding) {
      if (hashOfText(one, other) === hashOfText(another, other)) again += 1
    }
  }
  assert.equal(again, 0)
})

test('each process hashes otherwise', async () => {
  // A module of another name is loaded once more, as by another process.
  const url = new URL('./row-hash.ts?another', import.meta.url)
  const another: typeof import('./row-hash.ts') = await import(url.href)
  const texts = ['bob', 'joe', 'ann']
  assert.notDeepEqual(
    texts.map((text) => another.hashOfText(text)),
    texts.map((text) => hashOfText(text)),
  )
})

/** Keys of eight letters and digits that have one hash, by twos, of very many. */
function pairsColliding(seed: number): Array<readonly [string, string]> {
  const byHash = new Map<number, string>()
  const pairs: Array<readonly [string, string]> = []
  for (let at = 1; at <= 400_000; at++) {
    const text = ((at * 7_919_000_017) % 26 ** 8).toString(26).padStart(8, '0')
    const hash = hashOfText(text, seed)
    const present = byHash.get(hash)
    if (present !== undefined) pairs.push([present, text])
    byHash.set(hash, text)
  }
  return pairs
}
