// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createParser, ParseError } from '../parser.ts'

const parser = createParser({ skipValidations: false })

const OBSERVER = 'what runs when rows change is an observer'

for (const [text, hint] of [
  [
    'CREATE TRIGGER o AFTER UPDATE OF a, b ON t FOR EACH ROW EXECUTE FUNCTION f()',
    `${OBSERVER}: CREATE OBSERVER o ON t (a, b)`,
  ],
  [
    'CREATE OR REPLACE TRIGGER o AFTER UPDATE OF a OR DELETE ON t BEGIN DELETE FROM u',
    `${OBSERVER}: CREATE OBSERVER o ON t (a)`,
  ],
  [
    'CREATE TRIGGER o AFTER INSERT ON t EXECUTE FUNCTION f()',
    `${OBSERVER}: CREATE OBSERVER name ON table (column, …)`,
  ],
  ['DROP TRIGGER IF EXISTS o ON t', `${OBSERVER}: DROP OBSERVER IF EXISTS o`],
  ['ALTER TABLE t DISABLE TRIGGER o', `${OBSERVER}: ALTER OBSERVER o PAUSE`],
  ['ALTER TABLE t ENABLE TRIGGER o', `${OBSERVER}: ALTER OBSERVER o RESUME`],
  ['SHOW TRIGGERS', 'observers are shown by: SHOW OBSERVERS'],
  ['SHOW OBSERVERS FROM t', 'observers are shown by: SHOW OBSERVERS'],
  [
    'CREATE WEAK OBSERVER o ON t',
    'an observer names the columns whose changes it is told of: CREATE WEAK OBSERVER o ON t (column, …)',
  ],
  [
    'CREATE OBSERVER o ON t (a) DUE',
    'DUE names the one column with the time: CREATE OBSERVER o ON t (a) DUE column',
  ],
  [
    'CREATE OBSERVER o ON t (a) DUE (b)',
    'DUE names the one column with the time: CREATE OBSERVER o ON t (a) DUE b',
  ],
  [
    'CREATE OBSERVER o ON t (a) DUE b c',
    'DUE names the one column with the time: CREATE OBSERVER o ON t (a) DUE b',
  ],
  [
    'CREATE SCHEDULE s EVERY 1 DAY RUN o',
    "the period of a schedule is a text: CREATE SCHEDULE s EVERY '1 day' RUN o",
  ],
  ['SHOW SCHEDULE', 'schedules are shown by: SHOW SCHEDULES'],
  ['SHOW EVENTS', 'schedules are shown by: SHOW SCHEDULES'],
  [
    'CREATE JOB j',
    "what runs again and again is a schedule of an observer: CREATE SCHEDULE name EVERY '1 day' AT '03:00' RUN observer",
  ],
  [
    'CREATE OBSERVER o ON t (a) WHERE a > 1',
    'an observer is told of every row, and decides by itself what it does: CREATE OBSERVER o ON t (a)',
  ],
] as const) {
  test(`${text}: ${hint}`, () => {
    const isHinted = (error: unknown) => error instanceof ParseError && error.hint === hint
    assert.throws(() => parser.parseScript(text), isHinted)
  })
}
