// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ColumnType, type Compilable, Kysely, sql } from 'kysely'
import { PercoliteDialect } from './percolite-dialect.ts'

type Row = { id: string; a: number; b: string | null; meta: ColumnType<unknown> }

const client = { query: () => assert.fail('It was sent.'), begin: () => assert.fail() }
const db = new Kysely<{ t: Row; u: Row }>({ dialect: new PercoliteDialect({ db: client }) })
const t = db.selectFrom('t')

const WRITTEN: ReadonlyArray<readonly [Compilable, string, readonly unknown[]]> = [
  [t.select('id').where('id', '=', 'x'), 'scan "id" from "t" where "id" = $1', ['x']],
  [
    t.selectAll().where('id', '=', 'x').forUpdate(),
    'get * from "t" where "id" = $1 for update',
    ['x'],
  ],
  [
    t.select('id').where('id', 'in', ['x', 'y']).where('b', 'ilike', 'Z%'),
    'scan "id" from "t" where "id" in $1 and lower("b") like lower($2)',
    [['x', 'y'], 'Z%'],
  ],
  [
    t
      .select('b')
      .distinct()
      .orderBy('b', (order) => order.desc().nullsLast())
      .limit(3),
    'scan distinct "b" from "t" order by "b" desc limit $1',
    [3],
  ],
  [
    t
      .select('id')
      .modifyEnd(sql`use index ${sql.id('i')}`)
      .where('a', 'is', null),
    'scan "id" from "t" use index "i" where "a" is null',
    [],
  ],
  [
    t
      .innerJoin('u', (join) => join.onRef('t.b', '=', 'u.id').on('u.a', '>', 3))
      .select('u.id')
      .where('t.id', '>', 'm'),
    'scan "u"."id" from "t" lookup "u" by "u"."id" = "t"."b" where ("t"."id" > $1) and ("u"."a" > $2)',
    ['m', 3],
  ],
  [
    t.leftJoin('u as v', 'v.id', 't.b').select('v.a'),
    'scan "v"."a" from "t" lookup "u" as "v" by "v"."id" = "t"."b" optional',
    [],
  ],
  [
    t.select((eb) => [eb.val('k').as('kind'), eb.val(1.5).as('n'), eb.val(null).as('none')]),
    `scan 'k' as "kind", 1.5 as "n", null as "none" from "t"`,
    [],
  ],
  [
    t.select((eb) => eb.cast<number>('b', 'bigint').as('n')),
    'scan cast("b" as integer) as "n" from "t"',
    [],
  ],
  [
    t.select((eb) =>
      eb
        .ref('meta', '->>')
        .key('a' as never)
        .as('x'),
    ),
    `scan "meta"->>'a' as "x" from "t"`,
    [],
  ],
  [
    db.updateTable('t').set({ a: 1 }).where('id', '=', 'x').returning('a'),
    'set "a" = $1 on "t" where ("id" = $2) and true returning "a"',
    [1, 'x'],
  ],
  [db.updateTable('t').set({ a: 1 }).limit(5), 'set "a" = $1 on "t" where true limit $2', [1, 5]],
  [
    db
      .insertInto('t')
      .values({ id: 'x', a: 1, b: null, meta: [1] })
      .onConflict((on) => on.column('id').doUpdateSet({ a: 2 }).where('t.a', '<', 3)),
    'insert into "t" ("id", "a", "b", "meta") values ($1, $2, $3, $4) on conflict ("id") ' +
      'do update set "a" = $5 if "t"."a" < $6',
    ['x', 1, null, [1], 2, 3],
  ],
]

describe('the text of a statement of Kysely', () => {
  for (const [statement, text, parameters] of WRITTEN) {
    test(text, () => {
      const compiled = statement.compile()
      assert.equal(compiled.sql, text)
      assert.deepEqual(compiled.parameters, parameters)
    })
  }
})

const { schema } = db
const REFUSED: ReadonlyArray<readonly [clause: string, statement: () => Compilable]> = [
  ['DISTINCT ON', () => t.distinctOn('b').selectAll()],
  ['SELECT without FROM', () => db.selectNoFrom(sql`1`.as('one'))],
  ['FROM of several tables', () => db.selectFrom(['t', 'u']).select('t.id')],
  ['A subquery', () => db.selectFrom(t.selectAll().as('s')).selectAll()],
  ['EXISTS', () => t.selectAll().where(({ not, exists }) => not(exists(t.select('id'))))],
  ['RIGHT JOIN', () => t.rightJoin('u', 'u.id', 't.b').select('t.id')],
  ['FULL JOIN', () => t.fullJoin('u', 'u.id', 't.b').select('t.id')],
  ['LEFT JOIN by this condition', () => t.leftJoin('u', 't.b', 't.id').select('t.id')],
  ['INTERSECT', () => t.select('id').intersect(db.selectFrom('u').select('id'))],
  ['OVER', () => t.select((eb) => eb.fn.sum('a').over().as('s'))],
  ['FETCH', () => t.selectAll().fetch(3)],
  ['NULLS FIRST', () => t.selectAll().orderBy('b', (order) => order.desc().nullsFirst())],
  ['FOR UPDATE with other clauses', () => t.selectAll().limit(1).forUpdate()],
  ['SKIP LOCKED', () => t.selectAll().skipLocked()],
  ['The operator "is distinct from"', () => t.selectAll().where('b', 'is distinct from', 'x')],
  ['A schema', () => db.withSchema('s').selectFrom('t').selectAll()],
  ['UPDATE … FROM', () => db.updateTable('t').from('u').set({ a: 1 })],
  ['An alias of what is written', () => db.updateTable('t as x').set({ a: 1 })],
  ['USING', () => db.deleteFrom('t').using('u')],
  ['ORDER BY of what is written', () => db.deleteFrom('t').orderBy('a')],
  ['DEFAULT VALUES', () => db.insertInto('t').defaultValues()],
  ['INSERT … SELECT', () => db.insertInto('t').columns(['id']).expression(t.select('id'))],
  ['DEFAULT among VALUES', () => db.insertInto('t').values([{ id: '1' }, { a: 1 }] as never)],
  ['REPLACE', () => db.replaceInto('t').values({ id: '1', a: 1, b: null, meta: 1 })],
  [
    'FOREIGN KEY',
    () =>
      schema
        .createTable('x')
        .addColumn('a', 'text')
        .addForeignKeyConstraint('f', ['a'], 't', ['id']),
  ],
  ['REFERENCES', () => schema.createTable('x').addColumn('a', 'text', (a) => a.references('t.id'))],
  ['The type time', () => schema.createTable('x').addColumn('at', 'time')],
  ['The type numeric', () => schema.createTable('x').addColumn('n', 'numeric')],
  ['An index with WHERE', () => schema.createIndex('i').on('t').column('a').where('a', '>', 1)],
  ['USING', () => schema.createIndex('i').on('t').using('gin').column('a')],
  [
    'ALTER COLUMN … TYPE',
    () => schema.alterTable('t').alterColumn('a', (a) => a.setDataType('text')),
  ],
  ['CREATE VIEW', () => schema.createView('v').as(t.selectAll())],
]

describe('a clause that the dialect lacks is named', () => {
  for (const [clause, statement] of REFUSED) {
    test(clause, () => {
      assert.throws(() => statement().compile(), { name: 'NotInDialectError', clause })
    })
  }
})
