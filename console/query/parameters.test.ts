// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parametersFor, parsedParameters, wireParameters, withNames } from './parameters.ts'

describe('parameters that are typed', () => {
  it('keep every digit of an integer, on the wire too', () => {
    const parameters = parsedParameters('{"a": 9007199254740993, "b": 1.5, "c": -7, "d": null}')
    assert.deepEqual(parameters, { a: 9_007_199_254_740_993n, b: 1.5, c: -7, d: null })
    const onWire = { a: '9007199254740993', b: 1.5, c: -7, d: null }
    assert.deepEqual(wireParameters(parameters ?? []), onWire)
    assert.deepEqual(wireParameters([1n, 'x']), ['1', 'x'])
  })

  it('are none where nothing was typed, and JSON where something was', () => {
    assert.equal(parsedParameters(' '), undefined)
    assert.throws(() => parsedParameters('{a: 1}'), SyntaxError)
    assert.throws(() => parsedParameters('7'), /an object by name, or an array/)
  })

  it('get a place for each name that a statement has', () => {
    assert.equal(withNames('', []), '')
    assert.equal(withNames('', ['id', 'n']), '{ "id": null, "n": null }')
    assert.equal(withNames('{"id": 9007199254740993}', ['id']), '{"id": 9007199254740993}')
    assert.equal(
      withNames('{"id": [9007199254740993, "a,"]}', ['n']),
      '{ "id": [9007199254740993,"a,"], "n": null }',
    )
    assert.equal(withNames('', ['$2']), '[null, null]')
    assert.equal(withNames('[1, 2]', ['$1']), '[1, 2]')
    assert.equal(withNames('{"a', ['id']), '{"a', 'what cannot be read stays')
  })

  it('are sent only where the statement names them', () => {
    assert.deepEqual(parametersFor({ a: 1, b: 2 }, ['b']), { b: 2 })
    assert.equal(parametersFor({ a: 1 }, []), undefined)
    assert.deepEqual(parametersFor([1, 2], ['$1']), [1, 2])
  })
})
