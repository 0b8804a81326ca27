// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import {
  countAt,
  type JsonStep,
  nestingAt,
  plainText,
  spanAt,
  stepsOf,
  wholeSpan,
} from '../../storage/values/values.ts'
import { jsonText, jsonWith, jsonWithout } from './json-change.ts'
import { holdsJson } from './json-containment.ts'

class Paid {
  units = 0
  spend(units: number): void {
    assert.ok(units >= 0)
    this.units += units
  }
}

/** A JSON value with the steps to one of its places, which may not be there. */
const placed = fc.tuple(
  fc.jsonValue({ maxDepth: 4 }),
  fc.array(
    fc.oneof(
      fc.integer({ min: -2, max: 3 }),
      fc.constantFrom('', 'a', 'b"', '\u0001', '__proto__'),
    ),
    {
      maxLength: 3,
    },
  ),
)

function stepOf(step: string | number): JsonStep {
  return typeof step === 'number' ? { index: step, name: String(step) } : { name: step }
}

/** What JavaScript finds there. */
function found(value: unknown, steps: ReadonlyArray<string | number>): unknown {
  return steps.reduce((at: unknown, step) => {
    if (Array.isArray(at)) return typeof step === 'number' ? at.at(step) : undefined
    const isThere = typeof at === 'object' && at !== null && Object.hasOwn(at, step)
    return isThere ? (at as Record<string, unknown>)[step] : undefined
  }, value)
}

suite('a place in JSON', () => {
  test('is where JavaScript finds it, with blanks between the parts and without', () => {
    fc.assert(
      fc.property(placed, fc.constantFrom(0, 1), ([value, steps], blanks) => {
        const text = JSON.stringify(value, undefined, blanks)
        const wanted = found(JSON.parse(text), steps)
        const span = spanAt(text, steps.map(stepOf), new Paid())
        assert.equal(span === undefined, wanted === undefined, text)
        if (span === undefined) return
        assert.deepEqual(JSON.parse(text.slice(span.from, span.to)), wanted)
        const plain = plainText(text, span)
        if (typeof wanted === 'string') assert.equal(plain, wanted)
        if (wanted === null) assert.equal(plain, undefined)
      }),
    )
  })

  test('is filled and emptied as JavaScript does it', () => {
    fc.assert(
      fc.property(placed, fc.jsonValue({ maxDepth: 1 }), ([value, steps], put) => {
        const text = JSON.stringify(value)
        const last = steps.at(-1)
        if (last === undefined) return
        const filled = JSON.parse(text) as unknown
        const holder = found(filled, steps.slice(0, -1))
        const changed = jsonWith(text, steps.map(stepOf), JSON.stringify(put), new Paid())
        const emptied = jsonWithout(text, steps.map(stepOf), new Paid())
        if (Array.isArray(holder)) {
          const at = typeof last === 'number' ? (last < 0 ? last + holder.length : last) : -1
          const without = JSON.parse(text) as unknown
          if (at >= 0 && at < holder.length)
            (found(without, steps.slice(0, -1)) as unknown[]).splice(at, 1)
          assert.deepEqual(JSON.parse(emptied), without)
          if (at >= 0) holder[Math.min(at, holder.length)] = JSON.parse(JSON.stringify(put))
        } else if (typeof holder === 'object' && holder !== null) {
          Object.defineProperty(holder, last, {
            value: JSON.parse(JSON.stringify(put)),
            ...{ enumerable: true, configurable: true, writable: true },
          })
          assert.equal(found(JSON.parse(emptied), steps), undefined)
        } else assert.equal(emptied, text)
        assert.deepEqual(JSON.parse(changed), filled)
      }),
    )
  })

  test('keeps the digits of numbers and the order of names around it', () => {
    const text = '{"b":1.50,"10":1425367890123456789,"a":[1e400,-0]}'
    assert.equal(jsonWith(text, [{ name: 'b' }], '2', new Paid()), text.replace('1.50', '2'))
    const span = spanAt(text, [{ name: 'a' }, { index: -2 }], new Paid())
    assert.equal(span && jsonText(text, span), '1e400')
    assert.equal(
      jsonWithout(text, [{ name: 'a' }, { index: 1 }], new Paid()),
      text.replace(',-0', ''),
    )
    assert.equal(jsonWithout('{"a":1}', [{ name: 'a' }], new Paid()), '{}')
  })

  test('is found under a name that is written with more escapes than it needs', () => {
    const span = spanAt('{"\\u0061": 1}', [{ name: 'a' }], new Paid())
    assert.deepEqual(span, { from: 11, to: 12, memberFrom: 1 })
  })

  test('is paid for by what was passed, in slices, and ends the walk', () => {
    const long = JSON.stringify({ a: 1, b: Array(200_000).fill(1), c: 2 })
    const [early, late] = [new Paid(), new Paid()]
    spanAt(long, [{ name: 'a' }], early)
    spanAt(long, [{ name: 'c' }], late)
    assert.ok(early.units < 700_000 && late.units > 10 * 400_000, `${early.units} ${late.units}`)
  })
})

test('members, elements and levels are counted', () => {
  for (const [text, count, nesting] of [
    ['[]', 0, 1],
    ['[1,[2,3],{"a":4}]', 3, 2],
    [' {"a":[[]],"b":null} ', 2, 3],
    ['"[1]"', 0, 0],
  ] as const) {
    assert.equal(countAt(text, wholeSpan(text), new Paid()), count)
    assert.equal(nestingAt(text, wholeSpan(text), new Paid()), nesting)
  }
})

test('a path is a list in braces', () => {
  for (const [path, steps] of [
    ['{}', []],
    [' { a , b c,"d,}" } ', [{ name: 'a' }, { name: 'b c' }, { name: 'd,}' }]],
    ['{0,-1,"2"}', [{ name: '0', index: 0 }, { name: '-1', index: -1 }, { name: '2' }]],
    ['{"a\\"\\\\",""}', [{ name: 'a"\\' }, { name: '' }]],
    ...(['', 'a', '$.a', '{a', '{a,}', '{,a}', '{a}b', '{"a}', '{a"b"}'] as const).map(
      (wrong) => [wrong, undefined] as const,
    ),
  ] as const) {
    assert.deepEqual(stepsOf(path, 256), steps, path)
  }
  assert.equal(stepsOf('{a,b,c}', 2), undefined)
  const began = performance.now()
  stepsOf(`{${'a '.repeat(1_000_000)}`, 256)
  stepsOf(`{${' '.repeat(1_000_000)}`, 256)
  stepsOf(`{"a"${' '.repeat(1_000_000)}`, 256)
  stepsOf(`{"${'\\a'.repeat(1_000_000)}`, 256)
  assert.ok(performance.now() - began < 2_000)
})

test('JSON holds what is in it, whatever the order, and numbers as decimals', () => {
  for (const [whole, part, holds] of [
    ['{"a":1,"b":[1,{"c":2.0}]}', '{"b":[{"c":2}]}', true],
    ['{"a":1}', '{}', true],
    ['{"a":1}', '[]', false],
    ['[1,2,[3,4]]', '[[4],1.0,1]', true],
    ['[1,2,[3,4]]', '[3]', false],
    ['[1,"x"]', '"x"', true],
    ['{"a":["x"]}', '{"a":"x"}', false],
    ['"x"', '["x"]', false],
    ['1e2', '100', true],
    ['{"a":null}', '{"a":null}', true],
    ['{"b":1}', '{"a":null}', false],
    ['{"__proto__":1}', '{"__proto__":1}', true],
    ['[{"a":1},{"a":2,"b":3}]', '[{"b":3,"a":2},{"a":1}]', true],
    ['[{"a":1},{"b":3}]', '[{"b":3,"a":1}]', false],
  ] as const) {
    assert.equal(holdsJson(whole, part, new Paid()), holds, `${whole} @> ${part}`)
  }
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      assert.ok(holdsJson(text, text, new Paid()))
    }),
  )
})
