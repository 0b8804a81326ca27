// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { SeededRandomness } from '../../../test/seeded-randomness.ts'
import { hashOfToken, idOfToken, newTokenText } from './token-text.ts'

const token = fc
  .integer({ min: 0, max: 1e9 })
  .map((seed) => newTokenText(new SeededRandomness(seed)))

test('a token has its id in it, and no other token has its text', () => {
  fc.assert(fc.property(token, ({ id, text }) => idOfToken(text) === id))
  const texts = Array.from({ length: 100 }, (_, seed) => newTokenText(new SeededRandomness(seed)))
  assert.equal(new Set(texts.map(({ text }) => text)).size, texts.length)
  assert.equal(new Set(texts.map(({ text }) => hashOfToken(text))).size, texts.length)
})

test('one with a letter changed, left out or added is no token', () => {
  fc.assert(
    fc.property(
      token,
      fc.nat(),
      fc.constantFrom('a', '0', 'Z', '_', ' ', 'é', ''),
      (made, at, letter) => {
        const { text } = made
        const place = at % text.length
        const other = text.slice(0, place) + letter + text.slice(place + 1)
        fc.pre(other !== text)
        return (
          idOfToken(other) === undefined &&
          (idOfToken(text + letter) !== undefined) === (letter === '')
        )
      },
    ),
  )
})

test('a new text of a token keeps its id', () => {
  const { id, text } = newTokenText(new SeededRandomness(1))
  const rotated = newTokenText(new SeededRandomness(2), id)
  assert.deepEqual([idOfToken(rotated.text), rotated.text === text], [id, false])
})
