// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALL, column, compared, integer, parse } from '../../test/statement-tree.ts'

const of = (qualifier: string, name: string) => ({ ...column(name), qualifier })

test('LOOKUP follows the table, its moment and its hint, and may be there several times', () => {
  const text = `SCAN * FROM t AS o AS OF 5 USE PRIMARY KEY LOOKUP u BY u.id = o.u
    LOOKUP t AS p BY p.id = 1 AND p.k = u.k OPTIONAL WHERE o.id = 1`
  assert.deepEqual(parse(text), [
    {
      kind: 'scan',
      projection: ALL,
      table: { text: 't' },
      alias: { text: 'o' },
      asOf: integer(5),
      hint: { kind: 'primaryKey' },
      lookups: [
        { table: { text: 'u' }, by: compared(of('u', 'id'), '=', of('o', 'u')), isOptional: false },
        {
          table: { text: 't' },
          alias: { text: 'p' },
          by: {
            kind: 'logical',
            operator: 'AND',
            operands: [
              compared(of('p', 'id'), '=', integer(1)),
              compared(of('p', 'k'), '=', of('u', 'k')),
            ],
          },
          isOptional: true,
        },
      ],
      where: compared(of('o', 'id'), '=', integer(1)),
      groupBy: [],
      orderBy: [],
    },
  ])
})

test('a GET looks up as well, and LOOKUP and OPTIONAL are names everywhere else', () => {
  assert.deepEqual(
    parse('GET * FROM lookup LOOKUP optional AS lookup2 BY optional = 1 OPTIONAL WHERE lookup = 1'),
    [
      {
        kind: 'get',
        projection: ALL,
        table: { text: 'lookup' },
        lookups: [
          {
            table: { text: 'optional' },
            alias: { text: 'lookup2' },
            by: compared(column('optional'), '=', integer(1)),
            isOptional: true,
          },
        ],
        where: compared(column('lookup'), '=', integer(1)),
        forUpdate: false,
      },
    ],
  )
})
