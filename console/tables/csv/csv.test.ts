// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PercoliteError, type Schemas } from '../../../client-sdk/client.ts'
import { type ImportState, importRows, NOTHING_DONE, REFUSED_MAX } from './csv-import.ts'
import { mappingOf, mappingProblem, type ReadRow, rowOf } from './csv-rows.ts'
import { parseCsv } from './csv-text.ts'
import { guessedTable } from './guessed-table.ts'

const column = (name: string, type = 'TEXT', more = {}) =>
  ({ name, type, notNull: false, ...more }) as Schemas['TableColumn']

describe('a CSV', () => {
  it('is read with its lines, and NULL is told from an empty text', () => {
    const { header, records } = parseCsv('\ufeffid;"my;b"\r\n1;\r\n\r\n2;""\r\n3;"a\r\nb"\r\n4;x;y')
    assert.deepEqual(header, ['id', 'my;b'])
    assert.deepEqual(records, [
      { line: 2, fields: ['1', null] },
      { line: 4, fields: ['2', ''] },
      { line: 5, fields: ['3', 'a\r\nb'] },
      { line: 7, fields: ['4', 'x', 'y'] },
    ])
    assert.deepEqual(
      parseCsv('a\nNULL\n"NULL"\n').records.map(({ fields }) => fields[0]),
      [null, 'NULL'],
    )
    assert.throws(() => parseCsv('a,b\n1,"x'), /[Qq]uote/)
    assert.throws(() => parseCsv(''), /The file is empty/)
  })

  it('goes to the columns of its header, and says what is missing', () => {
    const columns = [
      column('id'),
      column('Name'),
      column('name'),
      column('no', 'INTEGER', { default: { identity: 'always' } }),
    ]
    assert.deepEqual(mappingOf(['NAME', 'name', ' ID ', 'no', 'x'], columns), [
      ...['Name', 'name', 'id'],
      ...[undefined, undefined],
    ])
    const table = {
      columns: [column('id'), column('n', 'TEXT', { notNull: true })],
      primaryKey: [{ column: 'id', descending: false }],
    }
    assert.match(mappingProblem(['id', undefined], table) ?? '', /No field goes to n,/)
    assert.match(mappingProblem(['id', 'n', 'n'], table) ?? '', /Two fields go to n/)
    assert.equal(mappingProblem(['id', 'n'], table), undefined)
  })

  it('has values of the types of its columns, or says which has not', () => {
    const columns = [
      ...[column('i', 'INTEGER'), column('d', 'DECIMAL'), column('b', 'BOOLEAN'), column('t')],
      ...[column('j', 'JSON'), column('x', 'BYTES')],
    ]
    const byName = new Map(columns.map((one) => [one.name, one]))
    const header = columns.map(({ name }) => name)
    const read = (...fields: (string | null)[]) =>
      rowOf({ line: 9, fields }, { header }, header, byName)
    assert.deepEqual(read('9007199254740993', '1.50', 'TRUE', '', '{"a":"x"}', 'AAE='), {
      line: 9,
      row: {
        i: '9007199254740993',
        d: '1.50',
        b: true,
        t: '',
        j: { a: 'x' },
        x: 'AAE=',
      },
    })
    assert.deepEqual(read('x', null, null, null, null, null), {
      line: 9,
      problem: 'Column i: An INTEGER is digits, with a sign perhaps.',
    })
    assert.match(JSON.stringify(read('1')), /The line has 1 fields, and the header 6/)
  })

  it('makes a table of its own, by what its values look like', () => {
    const text =
      'day,id,price,ok,zip,"my note"\n2026-01-31,1,2,true,007,\n2026-01-31,2,3.25,false,123,a\n'
    assert.equal(
      guessedTable('my table', parseCsv(text)),
      'CREATE TABLE "my table" (\n  day DATE,\n  id INTEGER PRIMARY KEY,\n  price DECIMAL(18, 2),\n' +
        '  ok BOOLEAN,\n  zip TEXT,\n  "my note" TEXT\n)',
    )
  })
})

describe('an import', () => {
  const refusal = (row: number) =>
    new PercoliteError({
      code: 'already_exists',
      message: 'There is one.',
      httpStatus: 409,
      fields: { row },
    } as never)
  const all =
    (count: number) =>
    (from: number): ReadRow[] =>
      Array.from({ length: count }, (_, at) => ({ line: at + 2, row: { id: at } })).slice(from)

  async function run(
    rows: (from: number) => Iterable<ReadRow>,
    send: (rows: readonly Readonly<Record<string, unknown>>[], key: string) => void,
    begin: ImportState = NOTHING_DONE,
  ) {
    let state = begin
    let error: unknown
    await importRows(
      {
        ...{ rows, id: 'x', signal: new AbortController().signal },
        send: async (sent, key) => {
          send(sent, key)
          return { written: sent.length, skipped: 0 }
        },
        onState: (now) => {
          state = now
        },
      },
      begin,
    ).catch((reason: unknown) => {
      error = reason
    })
    return { state, error }
  }

  it('is of bounded transactions, and leaves out what is refused, by its line', async () => {
    const sizes: number[] = []
    const { state, error } = await run(all(1_200), (rows) => {
      const at = rows.findIndex(({ id }) => id === 3 || id === 700)
      if (at >= 0) throw refusal(at)
      sizes.push(rows.length)
    })
    assert.equal(error, undefined)
    assert.deepEqual(sizes, [499, 499, 200])
    assert.deepEqual(state, {
      ...{ done: 1_200, written: 1_198, skipped: 0 },
      refused: [
        { line: 5, detail: 'There is one.' },
        { line: 702, detail: 'There is one.' },
      ],
    })
  })

  it('goes on where it stopped, with the same keys', async () => {
    const keys: string[] = []
    const first = await run(all(1_200), (_, key) => {
      keys.push(key)
      if (keys.length === 2) throw new Error('the network is gone')
    })
    assert.match(String(first.error), /the network is gone/)
    assert.equal(first.state.written, 500)
    const second = await run(all(1_200), (_, key) => void keys.push(key), first.state)
    assert.equal(second.state.written, 1_200)
    assert.deepEqual(keys, ['x-2-0', 'x-502-0', 'x-502-0', 'x-1002-0'])
  })

  it('stops where too many lines are refused', async () => {
    const bad = (from: number) =>
      all(1_200)(from).map(({ line }) => ({ line, problem: 'no number' }))
    const { state, error } = await run(bad, () => assert.fail('nothing is to be sent'))
    assert.match(String(error), new RegExp(`after ${REFUSED_MAX} lines`))
    assert.ok(state.refused.length <= 500)
  })
})
