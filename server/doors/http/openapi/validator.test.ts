// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { loadContract } from './contract.ts'
import type { SchemaPointer } from './document.ts'

const { document, validator } = loadContract()

/** Of every body that an operation takes, and every schema that a frame of a socket is checked by. */
const SCHEMAS: ReadonlySet<SchemaPointer> = new Set([
  ...document.operations.flatMap(({ body }) => [...(body?.schemas.values() ?? [])]),
  ...['QueryRequest', 'StatementText', 'Parameters', 'IntegerFormat', 'Stamp'].map(
    (name) => `#/components/schemas/${name}`,
  ),
])

/** A value that counts how often a part of it, at any depth, is looked at. */
function counted(value: object): { readonly value: unknown; readonly looks: () => number } {
  let looks = 0
  const wrapped = (target: object): object =>
    new Proxy(target, {
      get(of, name) {
        looks += 1
        const part = Reflect.get(of, name)
        return typeof part === 'object' && part !== null ? wrapped(part) : part
      },
      ownKeys(of) {
        looks += Object.keys(of).length
        return Reflect.ownKeys(of)
      },
    })
  return { value: wrapped(value), looks: () => looks }
}

/** Bodies of so many parts, most of them wrong for nearly every schema. */
function bodiesOf(count: number): object[] {
  const names = Object.fromEntries(Array.from({ length: count }, (_, at) => [`name${at}`, at]))
  return [0, [], { sql: 1 }, { sql: '', zzz: 1 }].flatMap((item) => {
    const items = Array<unknown>(count).fill(item)
    return [
      ...[items, names, { sql: 'x', ...names }, { statements: items }, { sql: items }],
      { statements: [...items.slice(1).fill({ sql: 'x' }), item], zzz: 1 },
      { sql: 'x', params: items, pageSize: items, asOf: names },
      [...items.slice(1).fill({}), item],
    ]
  })
}

test('what a validation looks at grows with the body and no faster, whatever the body holds', () => {
  for (const schema of SCHEMAS) {
    for (const [index, body] of bodiesOf(250).entries()) {
      const few = counted(body)
      validator.check(schema, few.value)
      const many = counted(bodiesOf(500)[index] as object)
      validator.check(schema, many.value)
      const most = 2 * few.looks() + 1_000
      assert.ok(many.looks() <= most, `${schema}, body ${index}: ${few.looks()}, ${many.looks()}`)
    }
  }
})

test('mistakes of a large body are not collected: each list of them would be copied for the next', () => {
  const { concat } = Array.prototype
  let copied = 0
  Array.prototype.concat = function (this: unknown[], ...others: unknown[]) {
    copied += this.length
    return concat.apply(this, others)
  }
  try {
    for (const schema of SCHEMAS) {
      for (const body of bodiesOf(900)) validator.check(schema, body)
    }
  } finally {
    Array.prototype.concat = concat
  }
  assert.ok(copied < 10_000, `${copied} mistakes were copied`)
})

const STATEMENTS = '#/components/schemas/QueryRequest'
const ROWS = '#/components/schemas/NewRows'

test('the first wrong item of a large body is told with its place', () => {
  const statements = Array<unknown>(900).fill({ sql: 'x' })
  statements[700] = 0
  const violation = validator.check(STATEMENTS, { statements })
  assert.deepEqual(violation, { pointer: '/statements/700', message: 'must be an object' })
  const rows = [...Array<unknown>(9_000).fill({}), 1]
  assert.equal(validator.check(ROWS, rows)?.pointer, '/9000')
})

test('limits of counts are looked at before any item', () => {
  const wrong = Array<unknown>(100_000).fill(0)
  const { value, looks } = counted({ statements: wrong })
  const violation = validator.check(STATEMENTS, value)
  assert.deepEqual(violation?.exceeded, {
    limit: 'statementsMax',
    limitValue: 1_000,
    actual: 100_000,
  })
  assert.ok(looks() < 100, `${looks()}`)
  assert.equal(validator.check(ROWS, wrong)?.exceeded?.limit, 'postedRowsMax')
  const names = Object.fromEntries(wrong.map((_, at) => [`n${at}`, 1]))
  const parameters = validator.check(STATEMENTS, { sql: 'x', params: names })
  assert.equal(parameters?.exceeded?.limit, 'parametersMax')
  assert.equal(parameters.pointer, '/params')
})

test('no more of a name is quoted than a reader needs', () => {
  const violation = validator.check(STATEMENTS, { sql: 'x', ['n'.repeat(1_000_000)]: 1 })
  assert.ok((violation?.message.length ?? 0) < 200)
})
