// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bindParameters, ParameterSlots } from './parameters.ts'
import { WorkMeter } from './work-meter.ts'

const position = { line: 1, column: 1, offset: 0, endOffset: 1 }
const slot = (key: string, type: 'INTEGER' | 'TEXT' = 'INTEGER', list = false) => {
  return { key, type, list, position }
}

test('slots of one parameter and type share its value', () => {
  const slots = new ParameterSlots()
  for (const one of [slot('a'), slot('b'), slot('a'), slot('c', 'INTEGER', true)]) slots.add(one)
  const given = { parameters: { a: 1, b: 2, c: [3] } }
  const [a, b, again, list] = bindParameters(slots.all, given, new WorkMeter())
  assert.deepEqual(a, { kind: 'value', value: 1n })
  assert.deepEqual(b, { kind: 'value', value: 2n })
  assert.equal(again, a)
  assert.equal(list?.kind, 'list')
})

test('a slot that was taken back shares with none that comes later', () => {
  const slots = new ParameterSlots()
  slots.add(slot('a'))
  slots.add(slot('b'))
  slots.add(slot('b'))
  slots.keepFirst(1)
  assert.equal(slots.add(slot('c')), 1)
  slots.add(slot('b'))
  slots.add(slot('a'))
  const bound = bindParameters(slots.all, { parameters: { a: 1, b: 2, c: 3 } }, new WorkMeter())
  assert.deepEqual(
    bound.map((one) => one.kind === 'value' && one.value),
    [1n, 3n, 2n, 1n],
  )
})
