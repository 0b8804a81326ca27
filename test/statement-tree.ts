// SPDX-License-Identifier: Apache-2.0

import { createParser } from '../parser/parser.ts'

// What the tests of statements compare: the tree as plain data, and its commonest leaves.

const parser = createParser({ skipValidations: false })

/** The statements of a text, without the positions, which tests of their own look at. */
export function parse(text: string): unknown {
  const withoutPositions = (_key: string, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`
    if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
    if (typeof value !== 'object' || value === null || !('position' in value)) return value
    const { position: _, ...rest } = value
    return rest
  }
  return JSON.parse(JSON.stringify(parser.parseScript(text), withoutPositions))
}

export const column = (name: string) => ({ kind: 'column', name })
export const integer = (value: number) => ({ kind: 'literal', type: 'integer', value: `${value}n` })
export const text = (value: string) => ({ kind: 'literal', type: 'text', value })
export const parameter = (key: string | number) => ({ kind: 'parameter', key })
export const compared = (first: unknown, operator: string, operand: unknown) => ({
  kind: 'binary',
  first,
  rest: [{ operator, operand }],
})
export const ALL = { kind: 'allColumns' }
export const named = (...names: readonly string[]) => names.map((name) => ({ text: name }))
export const item = (expression: unknown, label: string) => ({
  kind: 'expression',
  expression,
  label,
})
export const projected = (...names: readonly string[]) => ({
  kind: 'expressions',
  items: names.map((name) => item(column(name), name)),
})
