// SPDX-License-Identifier: Apache-2.0
import { DIES, type Scenario } from './scenario.ts'

/** What snapshot isolation gives beyond the absence of anomalies. */
export const PROMISES: readonly Scenario[] = [
  {
    name: 'Read your writes',
    title: 'each statement sees the ones before it',
    meaning:
      'A transaction sees what it wrote and not what it deleted, also within a SCAN. Others see neither before the commit.',
    steps: [
      ['T1', 'SET value = 11 ON test WHERE id = 1'],
      ['T1', 'INSERT INTO test (id, value) VALUES (3, 30)'],
      ['T1', 'DELETE FROM test WHERE id = 2'],
      ['T1', 'SCAN * FROM test', '1=11 3=30'],
      ['T1', 'SCAN * FROM test ORDER BY id DESC LIMIT 2', '3=30 1=11'],
      ['T1', 'GET * FROM test WHERE id IN (3, 2, 1)', '3=30 1=11'],
      ['T1', 'INSERT INTO test (id, value) VALUES (2, 22)'],
      ['T1', 'DELETE FROM test WHERE id = 3'],
      ['T1', 'SCAN * FROM test', '1=11 2=22'],
      ['T2', 'SCAN * FROM test', '1=10 2=20'],
      ['T1', 'COMMIT', 'OK', DIES],
      ['T2', 'SCAN * FROM test', '1=10 2=20'],
    ],
    final: ['1=11 2=22', '1=10 2=20'],
  },
  {
    name: 'Long fork',
    title: 'readers agree on an order',
    meaning:
      'All readers agree which of two disjoint writers was first: none sees only T1 while another one sees only T2.',
    steps: [
      ['T1', 'SET value = 11 ON test WHERE id = 1'],
      ['T2', 'SET value = 21 ON test WHERE id = 2'],
      ['T1', 'COMMIT', 'OK', DIES],
      ['T3', 'BEGIN'],
      ['T2', 'COMMIT', 'OK'],
      ['T4', 'BEGIN'],
      ['T4', 'SCAN * FROM test', '1=11 2=21', '1=10 2=21'],
      ['T3', 'SCAN * FROM test', '1=11 2=20', '1=10 2=20'],
    ],
    final: ['1=11 2=21', '1=10 2=21'],
  },
  {
    name: 'A snapshot is one moment',
    title: 'none of a commit, or all of it',
    meaning:
      'A transaction that began before a commit sees none of it. One that began after its acknowledgment sees all of it, through any gateway.',
    steps: [
      ['T1', 'SET value = 11 ON test WHERE id = 1; SET value = 21 ON test WHERE id = 2'],
      ['T1', 'COMMIT', 'OK', DIES],
      ['T3', 'BEGIN'],
      ['T2', 'SCAN * FROM test', '1=10 2=20'],
      ['T3', 'SCAN * FROM test', '1=11 2=21', '1=10 2=20'],
    ],
    final: ['1=11 2=21', '1=10 2=20'],
  },
]
