// SPDX-License-Identifier: Apache-2.0
import { DIES, type Scenario } from './scenario.ts'

/**
 * What snapshot isolation allows: transactions that read what the other writes, and write different
 * rows. Each comes with its cure: reading with FOR UPDATE what the decision rests on.
 */
export const WRITE_SKEW: readonly Scenario[] = [
  {
    name: 'G2-item',
    title: 'write skew',
    meaning:
      '**Allowed.** Both read both rows, each writes a different one, and both commit. In any serial order the second would have read what the first wrote.',
    steps: [
      ['T1', 'GET * FROM test WHERE id IN (1, 2)', '1=10 2=20'],
      ['T2', 'GET * FROM test WHERE id IN (1, 2)', '1=10 2=20'],
      ['T1', 'SET value = 11 ON test WHERE id = 1'],
      ['T2', 'SET value = 21 ON test WHERE id = 2'],
      ['T1', 'COMMIT', 'OK', DIES],
      ['T2', 'COMMIT', 'OK'],
    ],
    final: ['1=11 2=21', '1=10 2=21'],
  },
  {
    name: 'G2-item, FOR UPDATE',
    title: 'write skew cured',
    meaning: 'With guards on what was read, exactly one commits.',
    steps: [
      ['T1', 'GET * FROM test WHERE id IN (1, 2) FOR UPDATE', '1=10 2=20'],
      ['T2', 'GET * FROM test WHERE id IN (1, 2) FOR UPDATE', '1=10 2=20'],
      ['T1', 'SET value = 11 ON test WHERE id = 1'],
      ['T2', 'SET value = 21 ON test WHERE id = 2'],
      ['T1', 'COMMIT', 'OK', DIES],
      ['T2', 'COMMIT', 'CONFLICT', 'OK'],
    ],
    final: ['1=11 2=20', '1=10 2=21'],
  },
  {
    name: 'G2',
    title: 'write skew by conditions',
    meaning: '**Allowed.** Both find no row that meets the condition, and both insert one.',
    steps: [
      ['T1', 'SCAN * FROM test USE PRIMARY KEY WHERE value % 3 = 0', 'nothing'],
      ['T2', 'SCAN * FROM test USE PRIMARY KEY WHERE value % 3 = 0', 'nothing'],
      ['T1', 'INSERT INTO test (id, value) VALUES (3, 30)'],
      ['T2', 'INSERT INTO test (id, value) VALUES (4, 42)'],
      ['T1', 'COMMIT', 'OK', DIES],
      ['T2', 'COMMIT', 'OK'],
    ],
    final: ['1=10 2=20 3=30 4=42', '1=10 2=20 4=42'],
  },
  {
    name: 'G2, FOR UPDATE',
    title: 'write skew by conditions cured',
    meaning:
      'A row that represents the condition (here 0, which need not exist) is read FOR UPDATE by every transaction that decides by it. Exactly one commits.',
    steps: [
      ['T1', 'GET * FROM test WHERE id = 0 FOR UPDATE', 'nothing'],
      ['T2', 'GET * FROM test WHERE id = 0 FOR UPDATE', 'nothing'],
      ['T1', 'SCAN * FROM test USE PRIMARY KEY WHERE value % 3 = 0', 'nothing'],
      ['T2', 'SCAN * FROM test USE PRIMARY KEY WHERE value % 3 = 0', 'nothing'],
      ['T1', 'INSERT INTO test (id, value) VALUES (3, 30)'],
      ['T2', 'INSERT INTO test (id, value) VALUES (4, 42)'],
      ['T1', 'COMMIT', 'OK', DIES],
      ['T2', 'COMMIT', 'CONFLICT', 'OK'],
    ],
    final: ['1=10 2=20 3=30', '1=10 2=20 4=42'],
  },
  {
    name: 'G2, two edges',
    title: 'Fekete’s read-only transaction',
    meaning:
      '**Allowed.** T3 only reads, but what it saw fits no serial order: T2 before T3, T3 before T1, and T1 before T2.',
    steps: [
      ['T1', 'SCAN * FROM test', '1=10 2=20'],
      ['T2', 'SET value = 25 ON test WHERE id = 2'],
      ['T2', 'COMMIT', 'OK', DIES],
      ['T3', 'BEGIN'],
      ['T3', 'SCAN * FROM test', '1=10 2=25', '1=10 2=20'],
      ['T3', 'COMMIT', 'OK'],
      ['T1', 'SET value = 0 ON test WHERE id = 1'],
      ['T1', 'COMMIT', 'OK'],
    ],
    final: ['1=0 2=25', '1=0 2=20'],
  },
  {
    name: 'G2, two edges, FOR UPDATE',
    title: 'Fekete’s read-only transaction cured',
    meaning: 'T1 guards the row that it depends on, and T2 has written it in between.',
    steps: [
      ['T1', 'SCAN * FROM test', '1=10 2=20'],
      ['T1', 'GET * FROM test WHERE id = 2 FOR UPDATE', '2=20'],
      ['T2', 'SET value = 25 ON test WHERE id = 2'],
      ['T2', 'COMMIT', 'OK', DIES],
      ['T3', 'BEGIN'],
      ['T3', 'SCAN * FROM test', '1=10 2=25', '1=10 2=20'],
      ['T3', 'COMMIT', 'OK'],
      ['T1', 'SET value = 0 ON test WHERE id = 1'],
      ['T1', 'COMMIT', 'CONFLICT', 'OK'],
    ],
    final: ['1=10 2=25', '1=0 2=20'],
  },
]
