// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createParser, ParseError } from '../parser.ts'

const parser = createParser({ skipValidations: false })

function hintOf(text: string): string | undefined {
  try {
    parser.parseScript(text)
  } catch (error) {
    assert.ok(error instanceof ParseError, `${error}`)
    return error.hint
  }
  assert.fail(`no error: ${text}`)
}

const SELECT = 'SELECT is written GET for rows by a full key, SCAN for a range of rows'
const NO_TABLE =
  'a value alone is not read: a statement reads a table (SCAN now() FROM table LIMIT 1), the time is the readTimestamp of each answer, and GET /healthz says whether the server runs'
const UPDATE = 'UPDATE is written SET … ON table WHERE …'
const RANGE = 'GET reads rows by a full key, SCAN walks rows in key order'
const UPSERT =
  'SET … ON table WHERE full primary key inserts or updates a row, INSERT … ON CONFLICT DO UPDATE several'
const GROUPS = 'groups of rows are read by SCAN'
const ORDER = 'the clauses come in this order'
const OBSERVER = 'what runs when rows change is an observer'
const SUBSCRIPTION =
  'changes are pushed to whoever subscribes to a GET or a SCAN, on /v1/socket or by GET /v1/changes'
const NOTIFY =
  'NOTIFY tells a weak observer of one row: NOTIFY observer ON table WHERE full primary key'
const NO_ALIAS = 'a statement that writes names its table as it is'
const BY_KEY = 'a row of another table is looked up by its key: LOOKUP table BY table.key = …'
const ALONE = 'here is one table, so its columns are named alone'
const RIGHTS = 'rights on rows are READ and WRITE'
const OFFSET = 'there is no OFFSET: continue behind the last key read, WHERE key > :last'
const INTERVAL = "a length of time has its unit within the quotes, INTERVAL '2 hours'"
const TYPES = 'the types are TEXT, INTEGER, REAL, BOOLEAN, BYTES, TIMESTAMP, JSON'
const GENERATED = 'keys that nobody chooses are made by DEFAULT uuid(), of the type TEXT'
const IGNORES_CASE = 'LIKE on lower(…) ignores case'
const ROW_RULE =
  'which rows a role may read or write is said by its rights: GRANT READ ON table TO role WHERE condition'
const COMMA = 'between the arguments of a function stands a comma'
const PARAMETER_HINT = 'a parameter begins with a colon: SCAN * FROM t WHERE a = :x'

for (const [text, hint] of [
  ['SELECT * FROM t WHERE id = 1', `${SELECT}: GET * FROM t WHERE id = 1`],
  ['SELECT a FROM t WHERE a == 1 AND b=2', `${SELECT}: GET a FROM t WHERE a = 1 AND b=2`],
  ['SELECT a FROM t WHERE a > 1 LIMIT 5', `${SELECT}: SCAN a FROM t WHERE a > 1 LIMIT 5`],
  ['COMMIT; select * from t; COMMIT', `${SELECT}: SCAN * from t`],
  ['EXPLAIN ANALYZE SELECT a FROM t', `${SELECT}: EXPLAIN ANALYZE SCAN a FROM t`],
  ['EXPLAIN SCRIPT SELECT a FROM t', `${SELECT}: EXPLAIN SCRIPT SCAN a FROM t`],
  ['SELECT 1', NO_TABLE],
  ['SCAN now()', NO_TABLE],
  ['SELECT * FORM t', `${SELECT}; after that, expected FROM, found 'FORM'`],
  [
    'SELECT * FROM a JOIN b ON a.x = b.x',
    `${SELECT}; ${BY_KEY}: SCAN * FROM a LOOKUP b BY a.x = b.x`,
  ],
  [
    'SELECT o.*, c.n FROM a o LEFT OUTER JOIN b c ON (c.id = o.c) INNER JOIN d AS e ON e.k = c.k AND e.l = 1 WHERE o.id = 1',
    `${SELECT}; a table gets another name by AS; ${BY_KEY}: SCAN o.*, c.n FROM a AS o LOOKUP b AS c BY (c.id = o.c) OPTIONAL LOOKUP d AS e BY e.k = c.k AND e.l = 1 WHERE o.id = 1`,
  ],
  ['SCAN * FROM a RIGHT JOIN b ON a.x = b.x', BY_KEY],
  ['SELECT * FROM a o CROSS JOIN b p', `${SELECT}; ${BY_KEY}`],
  ['SCAN * FROM a JOIN b USING (x)', BY_KEY],
  [
    'SCAN id FROM a UNION SCAN id FROM b',
    'a statement reads one table; read the other one in a second statement',
  ],
  [
    "UPDATE t SET a = a + 1, b = 'x' WHERE id = 5",
    `${UPDATE}: SET a = a + 1, b = 'x' ON t WHERE id = 5`,
  ],
  ['UPDATE t SET a = 1', `${UPDATE}: SET a = 1 ON t USE PRIMARY KEY WHERE TRUE`],
  [
    'UPDATE t SET a = 1 RETURNING a',
    `${UPDATE}: SET a = 1 ON t USE PRIMARY KEY WHERE TRUE RETURNING a`,
  ],
  [
    'UPDATE t SET a = 1 WHERE b > 5 OR c LIMIT 5',
    `${UPDATE}: SET a = 1 ON t WHERE b > 5 OR c LIMIT 5`,
  ],
  [
    "INSERT INTO t VALUES (1, f(2, 3), 'x')",
    "INSERT names its columns: INSERT INTO t (column1, column2, column3) VALUES (1, f(2, 3), 'x')",
  ],
  ['INSERT t (a) VALUES (1)', 'INSERT needs INTO: INSERT INTO t (a) VALUES (1)'],
  ['DELETE t WHERE a = 1', 'DELETE needs FROM: DELETE FROM t WHERE a = 1'],
  ['GET * FROM t WHERE a == 1', 'equality is a single =: GET * FROM t WHERE a = 1'],
  ['GET * FROM t', `${RANGE}: SCAN * FROM t`],
  ['GET * FROM t WHERE a = 1 LIMIT 5', `${RANGE}: SCAN * FROM t WHERE a = 1 LIMIT 5`],
  ['SCAN a, b, FROM t', 'drop the comma before it: SCAN a, b FROM t'],
  ['SET a = 1, ON t WHERE id = 1', 'drop the comma before it: SET a = 1 ON t WHERE id = 1'],
  ["GET * FROM t WHERE a = 'it's'", "a quote inside a string is written twice: 'it''s'"],
  ['INSERT INTO t (a) VALUES ("bob")', "a string is written in single quotes: 'bob'"],
  ['INSERT INTO t (a) VALUES (bob)', "a string is written in single quotes: 'bob'"],
  ['SCAN order FROM t', 'ORDER is a reserved word, quoted it is a name: SCAN "order" FROM t'],
  ['SCAN `a` FROM `t`', 'names are quoted by double quotes: SCAN "a" FROM "t"'],
  ['SCAN [a b] FROM t', 'names are quoted by double quotes: SCAN "a b" FROM t'],
  ['SCAN o.a FROM t o', 'a table gets another name by AS: SCAN o.a FROM t AS o'],
  ['SET t.a = t.b, t.c = 1 ON t WHERE t.id = 1', `${ALONE}: SET a = b, c = 1 ON t WHERE id = 1`],
  ['DELETE FROM t AS a WHERE a.id = 1', `${NO_ALIAS}: DELETE FROM t WHERE id = 1`],
  ['SCAN * FROM t WHERE a = ‘x’', "quotes are straight: SCAN * FROM t WHERE a = 'x'"],
  ['SCAN * FROM t WHERE a = @x', PARAMETER_HINT],
  [
    'SCAN * FROM t WHERE 1 < a < 3',
    'comparisons do not chain: write a < b AND b < c, or b BETWEEN a AND c',
  ],
  [
    'CREATE TABLE t (a VARCHAR(20) PRIMARY KEY, b DOUBLE PRECISION, c TIMESTAMP(3) WITH TIME ZONE)',
    `${TYPES}: CREATE TABLE t (a TEXT PRIMARY KEY, b REAL, c TIMESTAMP)`,
  ],
  [
    'CREATE TABLE t (a bigint PRIMARY KEY, b UUID DEFAULT gen_random_uuid())',
    'BIGINT is written INTEGER: CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT DEFAULT uuid())',
  ],
  [
    'CREATE TABLE t (a SERIAL PRIMARY KEY, b VARCHAR(20))',
    `${GENERATED}: CREATE TABLE t (a TEXT PRIMARY KEY DEFAULT uuid(), b TEXT)`,
  ],
  [
    "CREATE TABLE t (id TEXT PRIMARY KEY, a ENUM('x', 'y'))",
    "a choice among values is a CHECK: CREATE TABLE t (id TEXT PRIMARY KEY, a TEXT CHECK (a IN ('x', 'y')))",
  ],
  [
    'ALTER TABLE t ADD a NUMERIC(10,2)',
    `${TYPES}; ALTER TABLE says COLUMN: ALTER TABLE t ADD COLUMN a REAL`,
  ],
  ['BEGIN TRANSACTION READ ONLY', 'BEGIN stands alone: BEGIN READ ONLY'],
  ['START TRANSACTION', 'a transaction begins with: BEGIN'],
  ['END', 'a transaction ends with: COMMIT'],
  ['DESC t', 'DESC is written out: DESCRIBE t'],
  ['TRUNCATE TABLE t', 'all rows are deleted with: DELETE FROM t USE PRIMARY KEY'],
  ['SELECT COUNT(*) FROM t WHERE a = 1', `${SELECT}: SCAN COUNT(*) FROM t WHERE a = 1`],
  ['SELECT a, SUM(b) FROM t GROUP BY a', `${SELECT}: SCAN a, SUM(b) FROM t GROUP BY a`],
  ['SELECT * FROM t WHERE a = 1 FOR UPDATE', `${SELECT}: GET * FROM t WHERE a = 1 FOR UPDATE`],
  [
    'SELECT DISTINCT a, b FROM t WHERE a > 1 ORDER BY a LIMIT 5',
    `${SELECT}: SCAN DISTINCT a, b FROM t WHERE a > 1 ORDER BY a LIMIT 5`,
  ],
  [
    'UPDATE t SET a = 1 WHERE id = 5 RETURNING *',
    `${UPDATE}: SET a = 1 ON t WHERE id = 5 RETURNING *`,
  ],
  [
    'INSERT INTO t (id, n) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET n = excluded.n WHERE t.n < 5 RETURNING *',
    'a condition on the row that is there follows IF: INSERT INTO t (id, n) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET n = excluded.n IF t.n < 5 RETURNING *',
  ],
  [
    'INSERT INTO t (id) VALUES (1) ON CONFLICT ON CONSTRAINT t_pkey DO NOTHING',
    'ON CONFLICT names the columns of the primary key or of a unique index',
  ],
  [
    'INSERT INTO t (id, n) VALUES (1, 2) ON DUPLICATE KEY UPDATE n = n + VALUES(n), m = 1',
    'ON DUPLICATE KEY is ON CONFLICT: INSERT INTO t (id, n) VALUES (1, 2) ON CONFLICT DO UPDATE SET n = n + excluded.n, m = 1',
  ],
  [
    'INSERT OR REPLACE INTO t (id) VALUES (1)',
    `${UPSERT}: INSERT INTO t (id) VALUES (1) ON CONFLICT DO UPDATE SET id = excluded.id`,
  ],
  [
    'INSERT OR IGNORE INTO t (id) VALUES (1)',
    'duplicates are left out by ON CONFLICT DO NOTHING: INSERT INTO t (id) VALUES (1) ON CONFLICT DO NOTHING',
  ],
  ['DELETE * FROM t WHERE a = 1', 'DELETE needs FROM: DELETE FROM t WHERE a = 1'],
  ['COUNT(*) FROM t', `${GROUPS}: SCAN COUNT(*) FROM t`],
  ['count t WHERE a = 1', `${GROUPS}: SCAN COUNT(*) FROM t WHERE a = 1`],
  ['AVG(a) FROM t', `${GROUPS}: SCAN AVG(a) FROM t`],
  [
    'GET COUNT(*) FROM t WHERE id = 1',
    'groups of rows are read by: SCAN COUNT(*) FROM table WHERE … GROUP BY …',
  ],
  ['SCAN MIN(a, b) FROM t', 'the least of several values in one row is least(a, b)'],
  ['GET a FROM t GROUP BY a', `${RANGE}: SCAN a FROM t GROUP BY a`],
  ['SELECT DISTINCT a FROM t WHERE a = 1', `${SELECT}: SCAN DISTINCT a FROM t WHERE a = 1`],
  ['GET DISTINCT a FROM t WHERE a = 1', `${RANGE}: SCAN DISTINCT a FROM t WHERE a = 1`],
  ['SCAN COUNT(*) FROM t HAVING COUNT(*) > 1', 'HAVING comes after GROUP BY'],
  [
    'SCAN a FROM t HAVING COUNT(*) > 1 GROUP BY a',
    `${ORDER}: SCAN a FROM t GROUP BY a HAVING COUNT(*) > 1`,
  ],
  [
    'SELECT a, COUNT(*) FROM t GROUP BY a HAVING COUNT(*) > 1',
    `${SELECT}: SCAN a, COUNT(*) FROM t GROUP BY a HAVING COUNT(*) > 1`,
  ],
  [
    'SCAN a FROM t ORDER BY a DESC NULLS LAST',
    'NULL comes first in ascending order, and last in descending order',
  ],
  ['SCAN * FROM t LIMIT 5 WHERE a = 1', `${ORDER}: SCAN * FROM t WHERE a = 1 LIMIT 5`],
  [
    'SCAN * FROM t ORDER BY a WHERE (a = 1 OR b = 2) USE INDEX i LIMIT 5',
    `${ORDER}: SCAN * FROM t USE INDEX i WHERE (a = 1 OR b = 2) ORDER BY a LIMIT 5`,
  ],
  [
    'EXPLAIN DELETE FROM t RETURNING * WHERE a = 1',
    `${ORDER}: EXPLAIN DELETE FROM t WHERE a = 1 RETURNING *`,
  ],
  ['SET a = 1 ON t IF EXISTS WHERE id = 1', `${ORDER}: SET a = 1 ON t WHERE id = 1 IF EXISTS`],
  ['SET a = 1 WHERE id = 1', 'SET names its table: SET … ON table WHERE …'],
  ['CHECK a > 1 WHERE id = 1', 'CHECK names its table: CHECK … ON table WHERE …'],
  [
    'SET a = 1 ON t',
    'WHERE says which rows are set; to set all of them: SET a = 1 ON t USE PRIMARY KEY WHERE TRUE',
  ],
  ['CHECK a = 1 ON t', 'CHECK is of one row: WHERE names its full primary key'],
  [
    'SCAN * FROM t WHERE a = 1 FOR UPDATE',
    'FOR UPDATE guards the rows of a GET, which names a full key: GET * FROM t WHERE a = 1 FOR UPDATE',
  ],
  ['SCAN * FROM t USE INDEX (i)', 'USE INDEX names one index: SCAN * FROM t USE INDEX i'],
  ['CREATE UNIQUE i ON t (a)', 'UNIQUE is said of an index: CREATE UNIQUE INDEX i ON t (a)'],
  ['CREATE INDEX ON t (a, b DESC)', 'an index has a name: CREATE INDEX t_a_b ON t (a, b DESC)'],
  [
    'CREATE INDEX CONCURRENTLY i ON t (a)',
    'an index is always built while others read and write: CREATE INDEX i ON t (a)',
  ],
  [
    'CREATE INDEX i ON t USING btree (a)',
    'there is one kind of index, and it is ordered: CREATE INDEX i ON t (a)',
  ],
  [
    'CREATE INDEX i ON t (a) INCLUDE (b)',
    'INCLUDE is written STORING: CREATE INDEX i ON t (a) STORING (b)',
  ],
  [
    'CREATE INDEX i ON t (a) WHERE a > 1',
    'an index holds every row of its table: CREATE INDEX i ON t (a)',
  ],
  [
    "CREATE INDEX i ON t (a->>'city')",
    'an index is over columns: keep what is computed in a column of its own',
  ],
  [
    'CREATE INDEX i ON t ((a->>1))',
    'an index is over columns: keep what is computed in a column of its own',
  ],
  [
    'CREATE INDEX i ON t (lower(a))',
    'an index is over columns: keep what is computed in a column of its own',
  ],
  [
    'CREATE TABLE t (id TEXT PRIMARY KEY, FOREIGN KEY (a) REFERENCES b)',
    'there are no foreign keys; GET … FOR UPDATE guards the other row, or CHECK tests it, in the same transaction',
  ],
  [
    'ALTER TABLE t ADD CONSTRAINT u UNIQUE (a)',
    'an index is added by CREATE [UNIQUE] INDEX name ON table (column, …): CREATE UNIQUE INDEX u ON t (a)',
  ],
  [
    'CREATE TABLE t (id TEXT PRIMARY KEY, family VARCHAR(20))',
    `${TYPES}: CREATE TABLE t (id TEXT PRIMARY KEY, family TEXT)`,
  ],
  ['ALTER TABLE t ADD a TEXT', 'ALTER TABLE says COLUMN: ALTER TABLE t ADD COLUMN a TEXT'],
  ['ALTER TABLE t DROP a', 'ALTER TABLE says COLUMN: ALTER TABLE t DROP COLUMN a'],
  [
    'ALTER TABLE t ADD INDEX i (a)',
    'an index is added by CREATE [UNIQUE] INDEX name ON table (column, …): CREATE INDEX i ON t (a)',
  ],
  [
    'ALTER TABLE t ADD COLUMN a TEXT, ADD COLUMN b TEXT',
    'ALTER TABLE changes one column: write a statement for each',
  ],
  ['DROP INDEX i ON t', 'the name of an index is enough: DROP INDEX i'],
  ['DROP OBSERVER o ON t', 'the name of an observer is enough: DROP OBSERVER o'],
  [
    'DROP TABLE t CASCADE',
    'nothing depends on a table but its indexes and observers, which go with it: DROP TABLE t',
  ],
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
    'CREATE OBSERVER o ON t (a) WHERE a > 1',
    'an observer is told of every row, and decides by itself what it does: CREATE OBSERVER o ON t (a)',
  ],
  ['LISTEN changes', SUBSCRIPTION],
  ['LIVE SELECT * FROM t', SUBSCRIPTION],
  ["NOTIFY changes, 'x'", NOTIFY],
  ['NOTIFY o ON t', NOTIFY],
  ['SHOW INDEX FROM t', 'indexes are shown of a table: SHOW INDEXES FROM t'],
  ['SHOW INDEXES t', 'indexes are shown of a table: SHOW INDEXES FROM t'],
  ['SHOW COLUMNS FROM t', 'a table is shown by: DESCRIBE t'],
  ['DESCRIBE TABLE t', 'DESCRIBE stands alone: DESCRIBE t'],
  ['SCAN * FROM t LIMIT 5, 10', OFFSET],
  ['SCAN * FROM t LIMIT 5 OFFSET 5', OFFSET],
  [
    'SCAN * FROM t WHERE a < now() - INTERVAL 1 DAY',
    `${INTERVAL}: SCAN * FROM t WHERE a < now() - INTERVAL '1 day'`,
  ],
  ["SCAN INTERVAL '2' hours FROM t", `${INTERVAL}: SCAN INTERVAL '2 hours' FROM t`],
  [
    "SCAN a + INTERVAL '1 month' FROM t",
    'months and years are not equally long: add_months(time, 1) adds them',
  ],
  [
    "SCAN INTERVAL 'soon' FROM t",
    "it is written as INTERVAL '2 hours 30 minutes', with whole numbers of weeks, days, hours, minutes, seconds, milliseconds and microseconds",
  ],
  ['SCAN extract(YEAR FROM a) FROM t', `${COMMA}: SCAN extract('year', a) FROM t`],
  [
    'SCAN substring(a FROM 2 FOR 3) FROM t',
    `a function is called substr here; ${COMMA}: SCAN substr(a, 2, 3) FROM t`,
  ],
  [
    "SCAN * FROM t WHERE position('x' IN a) > 0",
    `${COMMA}: SCAN * FROM t WHERE position('x', a) > 0`,
  ],
  [
    'SELECT a FROM t WHERE b > CURRENT_DATE AND c = ? AND d < ?',
    `the moment of the statement is now(); ${SELECT}; a parameter is $1, $2, … or :name: SCAN a FROM t WHERE b > date_trunc('day', now()) AND c = $1 AND d < $2`,
  ],
  [
    "SELECT a FROM t WHERE t.a ILIKE 'X%'",
    `${SELECT}; ${IGNORES_CASE}: SCAN a FROM t WHERE lower(t.a) LIKE 'x%'`,
  ],
  [
    "SCAN a FROM t WHERE a NOT ILIKE 'X%'",
    `${IGNORES_CASE}: SCAN a FROM t WHERE lower(a) NOT LIKE 'x%'`,
  ],
  ['SCAN a FROM t WHERE a ILIKE :x', `${IGNORES_CASE}: lower(name) LIKE 'a%'`],
  [
    "SELECT IF(a > 1, 'x', f(a, 2)) AS b FROM t",
    `${SELECT}; a choice between values is CASE: SCAN CASE WHEN a > 1 THEN 'x' ELSE f(a, 2) END AS b FROM t`,
  ],
  [
    'SELECT DISTINCT ON (a) b FROM t',
    `${SELECT}; the first row of each group: GROUP BY with MIN or MAX, or a SCAN … LIMIT 1 for each`,
  ],
  [
    'UPDATE t SET a = u.b FROM u WHERE u.id = t.id',
    `${UPDATE}; what writes reads no other table: read the values before it, in the same request, by GET … INTO :name, or send them as parameters`,
  ],
  [
    'DELETE FROM t WHERE a > 1 ORDER BY b LIMIT 1',
    'SET and DELETE take their rows in the order of the key that finds them: for another order, read the keys by SCAN … ORDER BY … LIMIT and write WHERE key IN :keys',
  ],
  ['CREATE POLICY p ON t USING (a = current_user)', ROW_RULE],
  ['ALTER TABLE t ENABLE ROW LEVEL SECURITY', ROW_RULE],
  [
    'CREATE USER joe',
    'who may do what is said of a role, which a token has: CREATE TOKEN … ROLE … EXPIRES IN …',
  ],
  ['SCAN * FROM t WHERE a IN b', undefined],
  ['SCAN a::varchar(20) FROM t', `${TYPES}: SCAN a::TEXT FROM t`],
  [
    'SELECT CAST(a AS NUMERIC(10,2)), b::int, c::text FROM t',
    `${TYPES}; ${SELECT}: SCAN CAST(a AS REAL), b::INTEGER, c::text FROM t`,
  ],
  ['SCAN a::bigint FROM t', 'BIGINT is written INTEGER'],
  ['SCAN CAST(a) FROM t', 'a cast is written CAST(a AS TEXT), or a::TEXT'],
  ['SCAN * FROM t WEHRE a = 1', undefined],
  ['GRANT SELECT ON t TO r', `${RIGHTS}: GRANT READ ON t TO r`],
  ['GRANT SELECT, INSERT ON t TO r', `${RIGHTS}: GRANT READ, WRITE ON t TO r`],
  ['GRANT ALL ON t TO r', `${RIGHTS}: GRANT READ, WRITE ON t TO r`],
  ['REVOKE UPDATE ON t FROM r', `${RIGHTS}: REVOKE WRITE ON t FROM r`],
  ['GRANT EAT ON t TO r', undefined],
  ['toString', undefined],
  ['SCAN * FROM t constructor', 'a table gets another name by AS: SCAN * FROM t AS constructor'],
] as const) {
  test(`${text}: ${hint ?? 'no hint'}`, () => {
    assert.equal(hintOf(text), hint)
  })
}
