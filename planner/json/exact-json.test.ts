// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { canonicalJson } from '../../storage/values/values.ts'
import { arbitraryJsonText } from '../../test/arbitrary-json.ts'
import { PlanError } from '../plan-error.ts'
import { exactJson, exactJsonPieces } from './exact-json.ts'
import { jsonOfText, textOfJson } from './json-object.ts'
import { JsonSource, keepOwnSource, noteSource, sourceOf } from './json-source.ts'

function refusal(text: string): PlanError {
  try {
    exactJson(text)
  } catch (error) {
    assert.ok(error instanceof PlanError)
    return error
  }
  return assert.fail(`${text.slice(0, 80)} is taken`)
}

test('numbers keep their digits, names their order, and blanks are dropped', () => {
  const kept: ReadonlyArray<readonly [string, string]> = [
    ['{"n":1425367890123456789}', '{"n":1425367890123456789}'],
    [' [ 1e400 , -0 , 1.50 ] ', '[1e400,-0,1.50]'],
    ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
    ['{"2" : 1,\n"1":\t{"b":[],"a":{}}}', '{"2":1,"1":{"b":[],"a":{}}}'],
    ['"\\u00e9\\/\\n"', '"é/\\n"'],
    ['"\\\\"', '"\\\\"'],
    ['{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
  ]
  for (const [given, stored] of kept) assert.equal(exactJson(given), stored)
})

test('a name that stands twice is refused with its place, however it is written', () => {
  const refused: ReadonlyArray<readonly [string, string]> = [
    ['{"n":1,"n":2}', '/n'],
    ['{"n":1,"\\u006e":2}', '/n'],
    ['[0,{"a":{"b~/":1,"c":[{}],"b~/":1}}]', '/1/a/b~0~1'],
    ['{"":1,"":1}', '/'],
  ]
  for (const [text, pointer] of refused) {
    const { code, fields, message } = refusal(text)
    assert.equal(code, 'type_mismatch')
    assert.equal(fields.pointer, pointer)
    assert.ok(message.includes(pointer), message)
  }
  assert.equal(
    exactJson('{"n":{"n":1},"m":[{"n":1},{"n":1}]}'),
    '{"n":{"n":1},"m":[{"n":1},{"n":1}]}',
  )
})

test('what an error shows of a long place is bounded', () => {
  const name = 'x'.repeat(100_000)
  const { message } = refusal(`{"${name}":{"${name}":1,"${name}":2}}`)
  assert.ok(message.length < 400, `${message.length}`)
})

test('too deep, too long an exponent and lone surrogates are refused', () => {
  assert.equal(refusal('['.repeat(257) + ']'.repeat(257)).code, 'limit_exceeded')
  assert.equal(refusal('{"a":1e1234567890123456}').code, 'out_of_range')
  assert.equal(refusal('{"a":"\\ud800"}').code, 'type_mismatch')
  assert.equal(refusal('{"\\udc00":1}').code, 'type_mismatch')
  assert.equal(exactJson('"\\ud83d\\ude00 \\\\ud800"'), '"😀 \\\\ud800"')
})

test('any JSON text is stored once, and what is stored is stored as it is', () => {
  fc.assert(
    fc.property(arbitraryJsonText, ({ text, compact }) => {
      assert.equal(exactJson(text), compact)
      assert.equal(exactJson(compact), compact)
      assert.deepEqual(JSON.parse(compact), JSON.parse(text))
      assert.equal(canonicalJson(compact), canonicalJson(text))
    }),
    { numRuns: 300 },
  )
})

test('any duplicate, at any depth, is found', () => {
  fc.assert(
    fc.property(arbitraryJsonText, arbitraryJsonText, fc.string(), (inside, value, name) => {
      if (!name.isWellFormed()) return
      const quoted = JSON.stringify(name)
      const text = `[{"k":[${inside.text},{${quoted}:${value.text},"${name === 'o' ? 'p' : 'o'}":1, ${quoted} :0}]}]`
      assert.match(refusal(text).message, /stands twice/)
    }),
  )
})

test('a member is found in its text by its way', () => {
  const source = JsonSource.of(
    '{"sql":"{\\"params\\":[9]}", "params" : [ {"a":1.0} , 2e0 ],"x":{}}',
  )
  const params = source.member('params')
  assert.equal(params.member(0).exact(), '{"a":1.0}')
  assert.equal(params.member(0).member('a').exact(), '1.0')
  assert.equal(params.member(1).exact(), '2e0')
  const twice = JsonSource.of('{"params":{"a":[1],"a":[2]}}')
  assert.throws(() => twice.member('params').member('a').exact(), /at \/params\/a/)
})

test('parameters that are kept let go of the body they came in', () => {
  const body = JSON.parse('{"params":{"j":{"n":1e400}}}')
  const text = `{"sql":"${'x'.repeat(1000)}", "params" : { "j" : {"n":1e400} } }`
  noteSource(body.params, JsonSource.of(text).member('params'))
  keepOwnSource(body.params)
  assert.equal(sourceOf(body.params)?.exact(), '{"j":{"n":1e400}}')
  assert.equal(sourceOf(body.params)?.member('j').exact(), '{"n":1e400}')
})

test('values of JavaScript lose nothing either: JSON.rawJSON stands for what a double cannot hold', () => {
  fc.assert(
    fc.property(arbitraryJsonText, ({ compact }) => {
      const back = textOfJson(jsonOfText(compact))
      assert.equal(canonicalJson(back), canonicalJson(compact))
    }),
    { numRuns: 300 },
  )
  assert.equal(textOfJson(jsonOfText('{"n":-0}')), '{"n":-0}')
  assert.equal(textOfJson({ n: JSON.rawJSON('1e400') }), '{"n":1e400}')
  assert.equal(typeof (jsonOfText('{"n":1.50}') as { n: unknown }).n, 'number')
  assert.equal(JSON.stringify(jsonOfText('{"n":1.50}', 'all')), '{"n":1.50}')
})

test('pieces are the whole value, and refuse what the whole value is refused for', () => {
  const nestingMax = Number.POSITIVE_INFINITY
  const refused = fc.constantFrom('{"a":1,"\\u0061":2}', '["\\ud83d"]', '[1e1111111111111111]')
  const text = fc.oneof(
    { weight: 9, arbitrary: arbitraryJsonText.map((json) => json.text) },
    refused,
  )
  const outcome = (make: () => string) => {
    try {
      return make()
    } catch (error) {
      return (error as PlanError).message
    }
  }
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 40 }), (given, pieceCharacters) => {
      const inPieces = () => {
        let whole = ''
        for (const piece of exactJsonPieces(given, { from: 0, pointer: '', pieceCharacters })) {
          whole += typeof piece === 'string' ? piece : JSON.stringify(piece.string)
        }
        return whole
      }
      assert.equal(
        outcome(inPieces),
        outcome(() => exactJson(given, { nestingMax })),
      )
    }),
  )
})

test('what may be rounded is found wherever the parts of the text meet', () => {
  const text = fc.stringMatching(/^[[](?:1|-1|[.]5|0|12|e|,){1,40}[\]]$/)
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 20 }), (given, partCharacters) => {
      const inParts = JsonSource.of(given)
      for (const _ of inParts.lookForRounding(partCharacters));
      assert.equal(inParts.mayRound, JsonSource.of(given).mayRound)
    }),
  )
})
