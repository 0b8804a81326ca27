// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ListOperation } from './history.ts'
import { checkListAppends, isForbidden, type ListTransaction } from './list-append-checker.ts'

/**
 * A history in short: `T1 ok x+1 y=1,2` appends 1 to x and reads y as [1, 2]; `y=` is an empty list.
 * `ok` committed, `fail` rolled back, `info` unknown.
 */
function history(...lines: string[]): ListTransaction[] {
  const outcomes = { ok: 'committed', fail: 'rolledBack', info: 'unknown' } as const
  return lines.map((line) => {
    const [name = '', outcome = 'ok', ...words] = line.split(' ')
    const operations = words.map((word): ListOperation => {
      const [, key = '', sign, rest = ''] = /^(\w)([+=])(.*)$/.exec(word) ?? []
      return sign === '+'
        ? { kind: 'append', key, element: Number(rest) }
        : { kind: 'read', key, elements: rest === '' ? [] : rest.split(',').map(Number) }
    })
    const told = outcomes[outcome as keyof typeof outcomes]
    return { id: Number(name.slice(1)), outcome: told, operations }
  })
}

function namesOf(...lines: string[]): string[] {
  return [...new Set(checkListAppends(history(...lines)).map(({ name }) => name))].sort()
}

describe('the list-append checker finds nothing wrong with', () => {
  const GOOD: ReadonlyArray<readonly [string, string[]]> = [
    ['appends one after the other', ['T1 ok x= x+1', 'T2 ok x=1 x+2', 'T3 ok x=1,2']],
    ['a reader that sees an old version of everything', ['T1 ok x+1 y+2', 'T2 ok x= y=']],
    ['own appends read back', ['T1 ok x= x+1 x=1 x+2 x=1,2']],
    ['an unknown transaction that somebody saw', ['T1 info x= x+1', 'T2 ok x=1']],
    ['an unknown transaction that nobody saw', ['T1 info x= x+1', 'T2 ok x= x+2', 'T3 ok x=2']],
    ['a rolled-back transaction that nobody saw', ['T1 fail x= x+1', 'T2 ok x=']],
    ['a blind append, placed by a later reader', ['T1 ok x+1', 'T2 ok x+2', 'T3 ok x=2,1']],
  ]
  for (const [name, lines] of GOOD) {
    test(name, () => assert.deepEqual(namesOf(...lines), []))
  }
})

describe('the list-append checker names', () => {
  const BAD: ReadonlyArray<readonly [string, string[], string[]]> = [
    ['an aborted read', ['G1a'], ['T1 fail x+1', 'T2 ok x=1']],
    ['an intermediate read', ['G1b'], ['T1 ok x+1 x+2', 'T2 ok x=1']],
    [
      'a dirty write (two lists in two orders)',
      ['G0'],
      [...['T1 ok x+1 y+2', 'T2 ok x+3 y+4'], ...['T3 ok x=1,3', 'T4 ok y=4,2']],
    ],
    ['a circular flow of information', ['G1c'], ['T1 ok x+1 y=2', 'T2 ok y+2 x=1']],
    ['read skew', ['G-single'], ['T1 ok x+1 y+2', 'T2 ok x= y=2', 'T3 ok x=1']],
    [
      'a long fork: two readers disagree on the order of two writers',
      ['G-nonadjacent'],
      [...['T1 ok x+1', 'T2 ok y+2'], ...['T3 ok x=1 y=', 'T4 ok x= y=2']],
    ],
    [
      'a list read in two orders',
      ['incompatible order'],
      ['T1 ok x=1,2', 'T2 ok x=2,1', 'T3 ok x+1', 'T4 ok x+2'],
    ],
    ['an element twice in a list', ['duplicate elements'], ['T1 ok x+1', 'T2 ok x=1,1']],
    [
      'an element that two transactions appended',
      ['duplicate elements'],
      ['T1 ok x+1', 'T2 ok x+1'],
    ],
    ['an element that nobody appended', ['element from nowhere'], ['T1 ok x=7']],
    ['a list that changes within a transaction', ['internal'], ['T1 ok x+1', 'T2 ok x= x=1']],
    ['an own append that is not there', ['internal'], ['T1 ok x= x+1 x=']],
    [
      'a commit on top of a rolled-back element',
      ['G1a', 'dirty update'],
      ['T1 fail x+1', 'T2 ok x=1 x+2'],
    ],
    ['a lost update', ['lost update', 'incompatible order'], ['T1 ok x= x+1', 'T2 ok x= x+2']],
  ]
  for (const [name, expected, lines] of BAD) {
    test(name, () => {
      const names = namesOf(...lines)
      for (const one of expected) assert.ok(names.includes(one), `${one} is among ${names}`)
      assert.ok(checkListAppends(history(...lines)).some(isForbidden))
    })
  }

  test('write skew, which snapshot isolation allows', () => {
    const anomalies = checkListAppends(
      history('T1 ok x= y= x+1', 'T2 ok x= y= y+2', 'T3 ok x=1 y=2'),
    )
    assert.deepEqual(
      anomalies.map(({ name }) => name),
      ['G2-item'],
    )
    assert.ok(!anomalies.some(isForbidden))
  })

  test('a forbidden cycle also where write skew is part of the same knot', () => {
    const names = namesOf(
      ...['T1 ok x= y= x+1', 'T2 ok x= y= y+2', 'T3 ok x=1 y=2'],
      ...['T4 ok z+9 x=1 y=', 'T5 ok y=2 z='],
    )
    assert.ok(
      names.includes('G-single') || names.includes('G-nonadjacent') || names.includes('G2-item'),
    )
  })
})
