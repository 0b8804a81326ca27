// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Schemas } from '../../client-sdk/client.ts'
import { keyWords } from '../page/statements/key-words.ts'
import { defaultWords, indexStateWords, mayWrite, observerWords } from './table-words.ts'

describe('the words of a definition', () => {
  it('say how far an index is, or why there is none', () => {
    const index = { name: 'i', unique: true, columns: [], storing: [], state: 'building' }
    const failed = { ...index, state: 'failed', failure: 'bob is there twice.' }
    assert.deepEqual(
      [index, { ...index, rowsDone: 1_200 }, { ...index, rowsDone: 1 }, failed].map(
        indexStateWords,
      ),
      [
        'building',
        'building, 1,200 rows done',
        'building, 1 row done',
        'failed: bob is there twice.',
      ],
    )
  })

  it('say what a column takes, and in which order a key is', () => {
    const words = (given: object | undefined, type = 'TEXT') =>
      defaultWords({ name: 'a', type, default: given } as Schemas['TableColumn'])
    assert.deepEqual(
      [undefined, { value: "it's" }, { function: 'now' }, { identity: 'always' }].map((given) =>
        words(given),
      ),
      [undefined, "'it''s'", 'now()', 'identity, always'],
    )
    const literals = [
      ['INTEGER', '9007199254740993', '9007199254740993'],
      ['REAL', 0.5, '0.5'],
      ['BOOLEAN', true, 'true'],
      ['BYTES', 'AP8=', "x'00ff'"],
      ['TIMESTAMP', '2026-01-31T12:00:00Z', "'2026-01-31T12:00:00Z'"],
      ['JSON', { a: "it's" }, `'{"a":"it''s"}'`],
      ['JSON', 's', `'"s"'`],
    ] as const
    for (const [type, value, text] of literals) assert.equal(words({ value }, type), text, type)
    const key = [
      { column: 'symbol', descending: false },
      { column: 'meta', path: "->>'city'", descending: true },
    ]
    assert.equal(keyWords(key), "symbol, meta->>'city' DESC")
  })

  it('say what notifies an observer', () => {
    const observer = {
      name: 'o',
      weak: true,
      columns: ['body'],
      state: 'paused',
      backfilled: false,
    }
    assert.equal(observerWords(observer), 'paused, weak, notified of body, not all rows told yet')
  })
})

describe('a role', () => {
  it('may write a table by a right on it, on all tables, or as an administrator', () => {
    const grant = (right: string, scope: string, table: string | null) => [{ right, scope, table }]
    assert.ok(mayWrite(grant('WRITE', 'table', 'account'), 'account'))
    assert.ok(mayWrite(grant('WRITE', 'all tables', null), 'account'))
    assert.ok(mayWrite(grant('ADMIN', 'server', null), 'account'))
    assert.ok(!mayWrite(grant('WRITE', 'table', 'other'), 'account'))
    assert.ok(!mayWrite(grant('READ', 'all tables', null), 'account'))
  })
})
