// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { SERVER_LIMITS } from '../../../limits.ts'
import { parseJson } from './body.ts'

const MAX = SERVER_LIMITS.bodyNestingMax

/** Without what a body knows of its text. */
const parsed = (text: string) => JSON.parse(JSON.stringify(parseJson(Buffer.from(text)) ?? null))

/** The value inside so many arrays and objects in turn. */
function nested(value: unknown, levels: number): unknown {
  let outer = value
  for (let level = 0; level < levels; level += 1) outer = level % 2 === 0 ? [outer] : { a: outer }
  return outer
}

test('so many arrays and objects inside each other are taken, and one more is refused', () => {
  const deepest = nested('x', MAX)
  assert.deepEqual(parsed(JSON.stringify(deepest)), deepest)
  assert.throws(() => parsed(JSON.stringify([deepest])), {
    code: 'limit_exceeded',
    fields: { limit: 'bodyNestingMax', limitValue: MAX, actual: MAX + 1 },
  })
})

test('what stands in strings is no nesting, whatever quotes and backslashes are around it', () => {
  const unit = fc.constantFrom('"', '\\', '[', '{', ']', '}', 'a', '\n', 'é', '\u{1f600}')
  const text = fc.string({ unit, maxLength: 400 })
  fc.assert(
    fc.property(text, text, fc.nat({ max: 3 }), (key, value, levels) => {
      const within = nested({ [key]: value, other: [value] }, MAX - 2 - levels)
      assert.deepEqual(parsed(JSON.stringify(within)), within)
      const beyond = nested({ [key]: value, other: [value] }, MAX - 1 + levels)
      assert.throws(() => parsed(JSON.stringify(beyond)), { code: 'limit_exceeded' })
    }),
  )
})

test('a string without an end is refused as no JSON, with its place', () => {
  for (const end of ['', '\\', '\\\\', '\\"', '['.repeat(MAX + 1)]) {
    const text = `{"sql": "${' '.repeat(MAX)}${end}`
    assert.throws(() => parsed(text), { code: 'invalid_request' }, JSON.stringify(end))
  }
})

test('so many values are taken, and one more is refused before it is made', () => {
  const { bodyValuesMax } = SERVER_LIMITS
  // The list is a value, too, and what stands in a string is none.
  const items = `["${',['.repeat(1_000)}"${',0'.repeat(bodyValuesMax - 2)}`
  assert.equal((parsed(`${items}]`) as unknown[]).length, bodyValuesMax - 1)
  assert.throws(() => parsed(`${items},0]`), {
    code: 'limit_exceeded',
    fields: { limit: 'bodyValuesMax', limitValue: bodyValuesMax, actual: bodyValuesMax + 1 },
  })
  assert.throws(() => parsed(`[${'{},'.repeat(bodyValuesMax)}0`), { code: 'limit_exceeded' })
})

test('so many different names are taken, and more are refused before they are made', () => {
  const { bodyNamesMax } = SERVER_LIMITS
  const object = (from: number, count: number) =>
    `{${Array.from({ length: count }, (_, at) => `"n${from + at}" : 1`).join(', ')}}`
  const small = (count: number) =>
    `[${Array.from({ length: count / 10 }, (_, at) => object(at * 10, 10)).join()}]`
  // Rows of the same names, each of which stands in many of them.
  const rows = `[${Array(400).fill(object(0, 1_000)).join()}]`
  for (const text of [object(0, bodyNamesMax), small(bodyNamesMax), rows]) {
    assert.equal(typeof parsed(text), 'object')
  }
  // A few are taken for one another. Of a wide object each member counts.
  const many = bodyNamesMax * 1.1
  const wide = `[${Array(11)
    .fill(object(0, bodyNamesMax / 10))
    .join()},${object(0, many / 8)}]`
  for (const text of [object(0, many), small(many), wide]) {
    assert.throws(
      () => parsed(text),
      ({ code, fields }) => {
        assert.equal(code, 'limit_exceeded')
        assert.equal(fields.limit, 'bodyNamesMax')
        assert.ok(fields.actual > bodyNamesMax && fields.actual <= many * 1.1, `${fields.actual}`)
        return true
      },
    )
  }
  // What looks like a name within a string is none.
  const strings = `["${'\\"x\\":1,'.repeat(bodyNamesMax * 2)}"]`
  assert.equal((parsed(strings) as unknown[]).length, 1)
  assert.throws(() => parsed(`${'}'.repeat(10)}${'"a":'.repeat(10)}`), { code: 'invalid_request' })
})
