// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEDNString } from 'edn-data'
import type { ListOperation } from '../simulation/checkers/history.ts'
import {
  checkListAppends,
  type ListTransaction,
} from '../simulation/checkers/list-append-checker.ts'
import { listHistory, type TimedListTransaction } from './list-history.ts'

type Micro = readonly [kind: string, key: number, value: number | readonly number[] | null]
type Read = {
  readonly type: string
  readonly process: number
  readonly f: string
  readonly value: readonly Micro[]
}

const append = (key: string, element: number): ListOperation => ({ kind: 'append', key, element })
const read = (key: string, ...elements: number[]): ListOperation => ({
  kind: 'read',
  key,
  elements,
})

function timed(
  outcome: TimedListTransaction['outcome'],
  process: number,
  [beganMs, endedMs]: readonly [number, number],
  ...operations: ListOperation[]
): TimedListTransaction {
  return { id: beganMs, outcome, process, beganMs, endedMs, operations }
}

/** As another program reads it. */
function parsed(edn: string): readonly Read[] {
  const options = { mapAs: 'object', keywordAs: 'string', listAs: 'array' } as const
  return edn
    .trim()
    .split('\n')
    .map((line) => parseEDNString(line, options) as Read)
}

/** What a checker makes of it, from the lines alone. */
function anomaliesIn(lines: readonly Read[]): readonly string[] {
  const transactions = lines
    .filter(({ type }) => type !== 'invoke')
    .map(({ type, value }, id) => ({
      id,
      outcome: type === 'ok' ? 'committed' : type === 'fail' ? 'rolledBack' : 'unknown',
      operations: value.flatMap(([kind, key, seen]): ListOperation[] => {
        if (kind === 'append') return [append(String(key), seen as number)]
        return seen === null ? [] : [read(String(key), ...(seen as number[]))]
      }),
    }))
  return checkListAppends(transactions as ListTransaction[]).map(({ name }) => name)
}

test('a history has a line when each transaction began and one when it ended, in their order', () => {
  const lines = parsed(
    listHistory([
      timed('committed', 0, [1, 4], read('1'), append('1', 7)),
      timed('unknown', 1, [2, 3], read('1'), append('1', 8)),
    ]),
  )
  assert.deepEqual(
    lines.map(({ type, process, value }) => [type, process, value]),
    [
      [
        'invoke',
        0,
        [
          ['r', 1, null],
          ['append', 1, 7],
        ],
      ],
      [
        'invoke',
        1,
        [
          ['r', 1, null],
          ['append', 1, 8],
        ],
      ],
      [
        'info',
        1,
        [
          ['r', 1, null],
          ['append', 1, 8],
        ],
      ],
      [
        'ok',
        0,
        [
          ['r', 1, []],
          ['append', 1, 7],
        ],
      ],
    ],
  )
  assert.ok(lines.every(({ f }) => f === 'txn'))
})

test('what is wrong with a history is in its text', () => {
  const good = [
    timed('committed', 0, [1, 2], read('1'), append('1', 1)),
    timed('rolledBack', 1, [3, 4], read('1', 1), append('1', 2)),
    timed('committed', 0, [5, 6], read('1', 1), append('1', 3)),
    timed('committed', 1, [7, 8], read('1', 1, 3)),
  ]
  assert.deepEqual(anomaliesIn(parsed(listHistory(good))), [])
  const lost = [...good, timed('committed', 2, [9, 10], read('1', 1), append('1', 4))]
  assert.ok(anomaliesIn(parsed(listHistory(lost))).includes('lost update'))
})
