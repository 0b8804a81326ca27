// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { WrittenRows } from './written-rows.ts'

const COUNT = 1_000
const TEXTS = Array.from({ length: COUNT }, (_, at) => String(10_000 + at))

describe('rows that are released while scans ask for them', () => {
  const orders = {
    'in their order': TEXTS,
    'the last first': TEXTS.toReversed(),
    'from both ends': TEXTS.map((_, at) => TEXTS.at(at % 2 === 0 ? at / 2 : -(at + 1) / 2)),
    'here and there': TEXTS.map((_, at) => TEXTS[(at * 7_919) % COUNT]),
  }
  for (const [name, order] of Object.entries(orders)) {
    test(`${name} are each looked at once, but for the one that is found`, () => {
      const rows = new WrittenRows(TEXTS)
      const held = new Set(TEXTS)
      let looks = 0
      let searches = 0
      const search = (from: string, to?: string) => {
        searches += 1
        return rows.isAnyHeld(from, to, (text) => {
          looks += 1
          return held.has(text)
        })
      }
      for (const text of order) {
        for (const from of ['1', '10300', '10700']) search(from)
        search('10200', '10900')
        held.delete(text as string)
      }
      assert.equal(search('1'), false)
      assert.ok(looks <= searches + COUNT, `${looks} looks in ${searches} searches`)
    })
  }
})

test('a search finds what a look at every row would', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\xff'), maxLength: 3 })
  const step = fc.record({ released: fc.array(text), from: text, to: fc.option(text) })
  const texts = fc.uniqueArray(text, { maxLength: 30 }).map((some) => some.sort())
  fc.assert(
    fc.property(texts, fc.array(step), (all, steps) => {
      const rows = new WrittenRows(all)
      const held = new Set(all)
      for (const { released, from, to } of steps) {
        for (const one of released) held.delete(one)
        const found = rows.isAnyHeld(from, to ?? undefined, (one) => held.has(one))
        assert.equal(
          found,
          [...held].some((one) => one >= from && (to === null || one < to)),
        )
      }
    }),
  )
})
