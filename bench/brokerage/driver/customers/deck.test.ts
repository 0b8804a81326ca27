// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random } from '../../../load/random.ts'
import { CUSTOMER_WEIGHTS, MIX_PERCENT } from '../transaction-names.ts'
import { Deck } from './deck.ts'

test('every full deck has exactly the mix, and no two decks have the same order', () => {
  const deck = new Deck(new Random(7))
  const drawDeck = () => Array.from({ length: 890 }, () => deck.draw())
  const decks = [drawDeck(), drawDeck(), drawDeck()]
  for (const cards of decks) {
    const counts: Record<string, number> = {}
    for (const card of cards) counts[card] = (counts[card] ?? 0) + 1
    assert.deepEqual(counts, { ...CUSTOMER_WEIGHTS })
  }
  assert.notDeepEqual(decks[0], decks[1])
  assert.notDeepEqual(decks[1], decks[2])
})

test('the mix of all transactions is a hundred percent, and every tenth is a trade result', () => {
  const sum = Object.values(MIX_PERCENT).reduce((total, percent) => total + percent, 0)
  assert.ok(Math.abs(sum - 100) < 1e-9, String(sum))
  assert.equal(MIX_PERCENT['Trade-Result'], 10)
})
