// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ColumnType, Kysely, sql } from 'kysely'
import { startRealServer } from '../../test/client-sdk/real-server.ts'
import { PercoliteDialect } from './percolite-dialect.ts'

type Made = ColumnType<string, string | Date | undefined, string | Date>

type Shop = {
  users: { id: string; name: string; city: string | null; meta: ColumnType<unknown> }
  orders: {
    id: string
    userId: string
    placed: Made
    state: ColumnType<string, string | undefined>
    total: number
  }
  posts: {
    id: string
    author: string
    title: string
    likes: ColumnType<number, number | undefined>
  }
}

type Usual = {
  readonly name: string
  readonly run: (db: Kysely<Shop>) => Promise<unknown>
  /** What it answers; where it does not run, a pattern of its error. */
  readonly answer: unknown
}

/** How many of them run. It may not fall. */
const RUNNING = 22

const { db: client } = await startRealServer()
const db = new Kysely<Shop>({ dialect: new PercoliteDialect({ db: client }) })

test.before(async () => {
  await client.script(`
    CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT NOT NULL, city TEXT, meta JSON);
    CREATE INDEX usersByName ON users (name);
    CREATE TABLE orders (id TEXT PRIMARY KEY, "userId" TEXT NOT NULL, placed TIMESTAMP NOT NULL DEFAULT now(),
      state TEXT NOT NULL DEFAULT 'open', total INTEGER NOT NULL);
    CREATE INDEX ordersByUser ON orders ("userId", placed);
    CREATE INDEX ordersByTime ON orders (placed);
    CREATE TABLE posts (id TEXT PRIMARY KEY, author TEXT NOT NULL, title TEXT NOT NULL,
      likes INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX postsByAuthor ON posts (author);
    INSERT INTO users (id, name, city, meta) VALUES ('ann', 'Ann', 'Rome', '{"tags": ["a", "b"], "age": 30}'),
      ('bob', 'Bob', NULL, NULL), ('kim', 'Kim', 'Rome', '{"age": 20}');
    INSERT INTO orders (id, "userId", placed, state, total) VALUES
      ('o1', 'ann', '2026-03-01T10:00:00Z', 'paid', 30), ('o2', 'bob', '2026-03-02T12:00:00Z', 'open', 99),
      ('o3', 'ann', '2026-03-04T09:30:00Z', 'open', 12), ('o4', 'gone', '2026-03-05T08:00:00Z', 'open', 7);
    INSERT INTO posts (id, author, title, likes) VALUES ('p1', 'ann', 'One', 3), ('p2', 'bob', 'Two', 5);
  `)
})

const USUAL: readonly Usual[] = [
  {
    name: 'a row by its key',
    run: (db) => db.selectFrom('users').selectAll().where('id', '=', 'ann').executeTakeFirst(),
    answer: { id: 'ann', name: 'Ann', city: 'Rome', meta: { tags: ['a', 'b'], age: 30 } },
  },
  {
    name: 'rows by a filter',
    run: (db) =>
      db
        .selectFrom('orders')
        .select(['id', 'total'])
        .where('userId', '=', 'ann')
        .where((eb) => eb.or([eb('total', '>', 20), eb('state', '!=', 'open')]))
        .execute(),
    answer: [{ id: 'o1', total: 30 }],
  },
  {
    name: 'ordering',
    run: (db) =>
      db
        .selectFrom('orders')
        .select('id')
        .where('userId', '=', 'ann')
        .orderBy('placed', 'desc')
        .execute(),
    answer: [{ id: 'o3' }, { id: 'o1' }],
  },
  {
    name: 'a limit',
    run: (db) => db.selectFrom('orders').select('id').orderBy('total', 'desc').limit(2).execute(),
    answer: [{ id: 'o2' }, { id: 'o1' }],
  },
  {
    name: 'a join',
    run: (db) =>
      db
        .selectFrom('orders as o')
        .innerJoin('users as u', 'u.id', 'o.userId')
        .select(['o.id', 'u.name'])
        .where('o.placed', '>=', '2026-03-02T00:00:00Z')
        .where('u.city', 'is not', null)
        .execute(),
    answer: [{ id: 'o3', name: 'Ann' }],
  },
  {
    name: 'a left join',
    run: (db) =>
      db
        .selectFrom('orders')
        .leftJoin('users', 'orders.userId', 'users.id')
        .select(['orders.id', 'users.name as customer'])
        .where('orders.id', '>=', 'o3')
        .execute(),
    answer: [
      { id: 'o3', customer: 'Ann' },
      { id: 'o4', customer: null },
    ],
  },
  {
    name: 'a join from the side of the one',
    run: (db) =>
      db
        .selectFrom('users')
        .innerJoin('orders', 'orders.userId', 'users.id')
        .select(['users.name', 'orders.total'])
        .execute(),
    answer: /No unique key of orders has the columns/,
  },
  {
    name: 'groups',
    run: (db) =>
      db
        .selectFrom('orders')
        .select((eb) => ['userId', eb.fn.sum<number>('total').as('sum')])
        .groupBy('userId')
        .having((eb) => eb.fn.countAll(), '>', 1)
        .execute(),
    answer: [{ userId: 'ann', sum: 42 }],
  },
  {
    name: 'a count',
    run: (db) =>
      db
        .selectFrom('users')
        .select(({ fn }) => [fn.countAll<number>().as('n'), fn.count<number>('city').as('cities')])
        .executeTakeFirstOrThrow(),
    answer: { n: 3, cities: 2 },
  },
  {
    name: 'distinct values',
    run: (db) => db.selectFrom('orders').select('state').distinct().execute(),
    answer: [{ state: 'paid' }, { state: 'open' }],
  },
  {
    name: 'an insert',
    run: async (db) => {
      const values = { id: 'lea', name: 'Lea', city: 'Oslo', meta: { tags: ['x'] } }
      return await db
        .insertInto('users')
        .values(values)
        .returning(['id', 'meta'])
        .executeTakeFirst()
    },
    answer: { id: 'lea', meta: { tags: ['x'] } },
  },
  {
    name: 'an insert of several rows',
    run: async (db) => {
      const rows = [
        { id: 'p3', author: 'kim', title: 'Three' },
        { id: 'p4', author: 'kim', title: 'Four' },
      ]
      return (await db.insertInto('posts').values(rows).execute()).map(
        (result) => result.numInsertedOrUpdatedRows,
      )
    },
    answer: [2n],
  },
  {
    name: 'an insert or update',
    run: (db) =>
      db
        .insertInto('posts')
        .values({ id: 'p1', author: 'ann', title: 'Uno', likes: 1 })
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet((eb) => ({
            title: eb.ref('excluded.title'),
            likes: eb('posts.likes', '+', eb.ref('excluded.likes')),
          })),
        )
        .returningAll()
        .executeTakeFirst(),
    answer: { id: 'p1', author: 'ann', title: 'Uno', likes: 4 },
  },
  {
    name: 'an update with its rows',
    run: async (db) => {
      const none = await db
        .updateTable('posts')
        .set({ title: 'no' })
        .where('id', '=', 'p99')
        .execute()
      const set = await db
        .updateTable('posts')
        .set((eb) => ({ likes: eb('likes', '+', 1) }))
        .where('id', '=', 'p2')
        .returning(['id', 'likes'])
        .execute()
      return [none[0]?.numUpdatedRows, set]
    },
    answer: [0n, [{ id: 'p2', likes: 6 }]],
  },
  {
    name: 'a delete with its rows',
    run: (db) => db.deleteFrom('posts').where('author', '=', 'kim').returning('id').execute(),
    answer: [{ id: 'p3' }, { id: 'p4' }],
  },
  {
    name: 'a transaction',
    run: (db) =>
      db.transaction().execute(async (tx) => {
        const guarded = tx.selectFrom('posts').select('likes').where('id', '=', 'p1')
        const { likes } = await guarded.forUpdate().executeTakeFirstOrThrow()
        await tx
          .updateTable('posts')
          .set({ likes: likes + 1 })
          .where('id', '=', 'p1')
          .execute()
        return await guarded.executeTakeFirst()
      }),
    answer: { likes: 5 },
  },
  {
    name: 'a statement as text',
    run: async (db) => {
      const { rows } = await sql<{ name: string }>`GET name FROM users WHERE id = ${'kim'}`.execute(
        db,
      )
      return rows
    },
    answer: [{ name: 'Kim' }],
  },
  {
    name: 'LIKE',
    run: (db) => db.selectFrom('users').select('id').where('name', 'like', 'A%').execute(),
    answer: [{ id: 'ann' }],
  },
  {
    name: 'IN',
    run: (db) => db.selectFrom('users').select('name').where('id', 'in', ['kim', 'bob']).execute(),
    answer: [{ name: 'Bob' }, { name: 'Kim' }],
  },
  {
    name: 'a member of JSON',
    run: (db) =>
      db
        .selectFrom('users')
        .select(sql<string>`meta#>>'{tags,0}'`.as('tag'))
        .where('id', '<', 'c')
        .where(sql`meta->>'age'`, '=', '30')
        .execute(),
    answer: [{ tag: 'a' }],
  },
  {
    name: 'CASE',
    run: (db) =>
      db
        .selectFrom('orders')
        .select((eb) => [
          'id',
          eb.case().when('total', '>', 20).then('large').else('small').end().as('size'),
        ])
        .where('userId', '=', 'ann')
        .execute(),
    answer: [
      { id: 'o1', size: 'large' },
      { id: 'o3', size: 'small' },
    ],
  },
  {
    name: 'coalesce',
    run: (db) =>
      db
        .selectFrom('users')
        .select((eb) => eb.fn.coalesce('city', eb.val('nowhere')).as('city'))
        .where('id', '=', 'bob')
        .execute(),
    answer: [{ city: 'nowhere' }],
  },
  {
    name: 'dates',
    run: (db) =>
      db
        .selectFrom('orders')
        .select((eb) => ['id', eb.fn<string>('date_trunc', [eb.val('day'), 'placed']).as('day')])
        .where((eb) => eb.between('placed', '2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z'))
        .execute(),
    answer: [{ id: 'o2', day: '2026-03-02T00:00:00.000000Z' }],
  },
  {
    name: 'a subquery',
    run: (db) =>
      db
        .selectFrom('orders')
        .select('id')
        .where('userId', 'in', (eb) =>
          eb.selectFrom('users').select('id').where('city', '=', 'Rome'),
        )
        .execute(),
    answer: /A subquery is not in the dialect of Percolite: read the inner rows first/,
  },
  {
    name: 'EXISTS',
    run: (db) =>
      db
        .selectFrom('users')
        .select('id')
        .where(({ exists, selectFrom }) =>
          exists(selectFrom('orders').select('id').whereRef('userId', '=', 'users.id')),
        )
        .execute(),
    answer: /EXISTS is not in the dialect of Percolite: read the inner rows first/,
  },
  {
    name: 'UNION',
    run: (db) =>
      db.selectFrom('users').select('id').union(db.selectFrom('posts').select('id')).execute(),
    answer: /UNION is not in the dialect of Percolite: two statements/,
  },
  {
    name: 'WITH',
    run: (db) =>
      db
        .with('open', (qb) => qb.selectFrom('orders').select('id').where('state', '=', 'open'))
        .selectFrom('open')
        .selectAll()
        .execute(),
    answer: /WITH is not in the dialect of Percolite: read the inner rows first/,
  },
  {
    name: 'OFFSET',
    run: (db) => db.selectFrom('users').select('id').orderBy('id').limit(2).offset(2).execute(),
    answer: /OFFSET is not in the dialect of Percolite: where\("id", ">", last\)/,
  },
]

test('28 usual statements of Kysely run, or say what to write', async (t) => {
  const refused: string[] = []
  for (const { name, run, answer } of USUAL) {
    if (answer instanceof RegExp) {
      await assert.rejects(run(db), answer, name)
      refused.push(name)
    } else assert.deepEqual(await run(db), answer, name)
  }
  const running = USUAL.length - refused.length
  t.diagnostic(`${running} of ${USUAL.length} run; not ${refused.join(', ')}`)
  assert.equal(USUAL.length, 28)
  assert.equal(running, RUNNING)
})
