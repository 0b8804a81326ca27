// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check'

/** A JSON text as somebody may write it, and the same without blanks and needless escapes. */
export type JsonText = { readonly text: string; readonly compact: string }

const blank = fc.constantFrom('', '', '', ' ', '\n', '\t ', '\r\n')

const number = fc
  .oneof(
    fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,30})?([eE][+-]?\d{1,10})?$/),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.constantFrom('-0', '-0.0', '1.0', '1e400', '1e-400', '9007199254740993', '1e1000000000'),
    fc.constantFrom('1425367890123456789', '0.1000000000000000055511151231257827'),
  )
  .map((text): JsonText => ({ text, compact: text }))

const string = fc
  .tuple(fc.string({ unit: 'binary', maxLength: 8 }), fc.boolean())
  .filter(([value]) => value.isWellFormed())
  .map(([value, escaped]): JsonText => {
    const compact = JSON.stringify(value)
    return { text: escaped ? escapedText(value) : compact, compact }
  })

function escapedText(value: string): string {
  const units = [...Array(value.length).keys()].map((at) => value.charCodeAt(at))
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
}

const word = fc
  .constantFrom('true', 'false', 'null')
  .map((text): JsonText => ({ text, compact: text }))

const name = fc.oneof(
  { weight: 3, arbitrary: string },
  fc
    .constantFrom('__proto__', 'constructor', 'toString', '0', '2', '1', 'n', '')
    .map((value): JsonText => ({ text: JSON.stringify(value), compact: JSON.stringify(value) })),
)

const joined = (
  parts: readonly JsonText[],
  [open, close]: readonly [string, string],
  [before, after]: readonly [string, string],
): JsonText => ({
  text: open + before + parts.map(({ text }) => text + after).join(`,${before}`) + close,
  compact: open + parts.map(({ compact }) => compact).join(',') + close,
})

const { value } = fc.letrec<{ value: JsonText }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof({ weight: 3, arbitrary: number }, string, word),
    fc
      .tuple(fc.array(tie('value'), { maxLength: 4 }), fc.tuple(blank, blank))
      .map(([items, blanks]) => joined(items, ['[', ']'], blanks)),
    fc
      .tuple(
        fc.uniqueArray(fc.tuple(name, tie('value')), {
          maxLength: 4,
          selector: ([one]) => one.compact,
        }),
        fc.tuple(blank, blank),
      )
      .map(([members, blanks]) => {
        const parts = members.map(([one, of]) => ({
          text: `${one.text}${blanks[1]}:${blanks[0]}${of.text}`,
          compact: `${one.compact}:${of.compact}`,
        }))
        return joined(parts, ['{', '}'], blanks)
      }),
  ),
}))

/** Every kind of JSON text; names are unique within each object. */
export const arbitraryJsonText: fc.Arbitrary<JsonText> = value
