// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Storage, Transaction } from '../../../storage/storage.ts'
import { rowsToJson, SqlSession } from '../../../test/sql-session.ts'
import { PLANNER_LIMITS } from '../../planner-limits.ts'

const CUSTOMERS = 60
const ORDERS = 1_200
let session: SqlSession
before(async () => {
  session = await SqlSession.open(
    'CREATE TABLE customer (id TEXT PRIMARY KEY, name TEXT, email TEXT, city TEXT)',
    'CREATE UNIQUE INDEX byEmail ON customer (email) STORING (name)',
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, n INTEGER, mail TEXT)',
    'CREATE INDEX byCustomer ON orders (customer)',
    'CREATE TABLE leg (id INTEGER PRIMARY KEY, customer TEXT, n INTEGER)',
  )
  await session.run(`INSERT INTO customer (id, name, email, city) VALUES
    ('a', 'Ann', 'a@x', 'Bonn'), ('b', 'Bob', 'b@x', 'Ulm'), ('c', 'Cid', NULL, NULL)`)
  await session.run(`INSERT INTO orders (id, customer, n, mail) VALUES
    (1, 'a', 5, 'b@x'), (2, 'b', 6, NULL), (3, 'a', 7, 'a@x'), (4, 'none', 8, 'a@x'), (5, NULL, 0, 'no')`)
  const ids = Array.from({ length: CUSTOMERS }, (_, at) => `('k${at}', 'name ${at}')`)
  await session.run(`INSERT INTO customer (id, name) VALUES ${ids.join(', ')}`)
  for (let first = 0; first < ORDERS; first += 400) {
    const legs = Array.from(
      { length: 400 },
      (_, at) => `(${first + at}, 'k${(first + at) % CUSTOMERS}')`,
    )
    await session.run(`INSERT INTO leg (id, customer) VALUES ${legs.join(', ')}`)
  }
})
after(() => session.close())

const rows = async (text: string, parameters = {}) =>
  rowsToJson(await session.run(text, parameters))
const BY = 'LOOKUP customer AS c BY c.id = o.customer'

describe('LOOKUP', () => {
  test('puts the row of another table beside each row, and leaves out those without one', async () => {
    assert.deepEqual(await rows(`SCAN o.id, c.name FROM orders AS o ${BY}`), [
      { id: 1, name: 'Ann' },
      { id: 2, name: 'Bob' },
      { id: 3, name: 'Ann' },
    ])
  })

  test('with OPTIONAL has NULLs where there is no row', async () => {
    assert.deepEqual(await rows(`SCAN o.id, c.name FROM orders AS o ${BY} OPTIONAL`), [
      { id: 1, name: 'Ann' },
      { id: 2, name: 'Bob' },
      { id: 3, name: 'Ann' },
      { id: 4, name: null },
      { id: 5, name: null },
    ])
    assert.deepEqual(
      await rows(`SCAN o.id FROM orders AS o USE PRIMARY KEY ${BY} OPTIONAL WHERE c.id IS NULL`),
      [{ id: 4 }, { id: 5 }],
    )
  })

  test('finds by a unique index, covering or not, and by the row that the one before has found', async () => {
    const mail = 'LOOKUP customer AS m BY o.mail = m.email'
    for (const column of ['name', 'city']) {
      const found = await rows(`SCAN o.id, m.${column} AS x FROM orders AS o ${mail}`)
      assert.deepEqual(found, [
        { id: 1, x: column === 'name' ? 'Bob' : 'Ulm' },
        { id: 3, x: column === 'name' ? 'Ann' : 'Bonn' },
        { id: 4, x: column === 'name' ? 'Ann' : 'Bonn' },
      ])
    }
    const chain = `SCAN o.id, p.id AS other FROM orders AS o ${BY}
      LOOKUP customer AS m BY m.email = c.email LOOKUP orders AS p BY p.id = o.n - 4 AND TRUE = TRUE`
    await assert.rejects(session.run(chain), { code: 'invalid_request' })
    assert.deepEqual(await rows(chain.replace(' AND TRUE = TRUE', ' OPTIONAL')), [
      { id: 1, other: 1 },
      { id: 2, other: 2 },
      { id: 3, other: 3 },
    ])
  })

  test('takes values of parameters and literals', async () => {
    const text =
      'SCAN o.id, c.name FROM orders AS o LOOKUP customer AS c BY c.id = :c WHERE o.id < 3'
    assert.deepEqual(await rows(text, { c: 'b' }), [
      { id: 1, name: 'Bob' },
      { id: 2, name: 'Bob' },
    ])
    assert.deepEqual(await rows(text, { c: null }), [])
  })

  test('is there for a GET, in the order asked', async () => {
    const text = `GET o.id, c.name FROM orders AS o ${BY} WHERE o.id IN (4, 3, 2, 9, 1)`
    assert.deepEqual(await rows(text), [
      { id: 3, name: 'Ann' },
      { id: 2, name: 'Bob' },
      { id: 1, name: 'Ann' },
    ])
    assert.deepEqual(await rows(`GET o.id, c.name FROM orders AS o ${BY} WHERE o.id = 3`), [
      { id: 3, name: 'Ann' },
    ])
  })

  test('filters the first table before it looks up, and the others after', async () => {
    const text = `SCAN o.id FROM orders AS o ${BY} WHERE o.id > 0 AND 10 / o.n > 1 AND c.city = 'Bonn'`
    await assert.rejects(session.run(text), { code: 'division_by_zero' })
    // Of the fifth row, which has no match, what needs the match is not computed.
    const later = `SCAN o.id FROM orders AS o ${BY} WHERE o.id > 0 AND coalesce(length(c.city), 0) / o.n >= 0`
    assert.equal((await rows(later)).length, 3)
  })

  test('is aggregated, and grouped along a key of the first table', async () => {
    assert.deepEqual(await rows(`SCAN COUNT(*) AS k, MIN(c.name) AS m FROM orders AS o ${BY}`), [
      { k: 3, m: 'Ann' },
    ])
    const grouped = `SCAN o.customer, COUNT(*) AS k, MAX(c.city) AS m FROM orders AS o ${BY}
      GROUP BY o.customer ORDER BY o.customer DESC`
    assert.deepEqual(await rows(grouped), [
      { customer: 'b', k: 1, m: 'Ulm' },
      { customer: 'a', k: 2, m: 'Bonn' },
    ])
    assert.deepEqual(await rows(`SCAN MAX(o.id) AS m FROM orders AS o ${BY}`), [{ m: 3 }])
  })

  test('is sorted and grouped by what was looked up', async () => {
    const top = `SCAN o.id, c.name FROM orders AS o ${BY} OPTIONAL ORDER BY c.name DESC, o.n DESC LIMIT 3`
    assert.deepEqual(await rows(top), [
      { id: 2, name: 'Bob' },
      { id: 3, name: 'Ann' },
      { id: 1, name: 'Ann' },
    ])
    const groups = `SCAN c.city, COUNT(*) AS k, SUM(o.n) AS n FROM orders AS o ${BY} GROUP BY c.city
      HAVING COUNT(*) > 0 ORDER BY k DESC LIMIT 5`
    assert.deepEqual(await rows(groups), [
      { city: 'Bonn', k: 2, n: 12 },
      { city: 'Ulm', k: 1, n: 6 },
    ])
    const distinct = `SCAN DISTINCT c.name FROM orders AS o ${BY} OPTIONAL`
    assert.deepEqual(await rows(distinct), [{ name: 'Ann' }, { name: 'Bob' }, { name: null }])
  })

  test('is answered in pages of any size, with LIMIT over all of them', async () => {
    for (const text of [
      `SCAN o.id, c.name FROM orders AS o ${BY} LIMIT 2`,
      'SCAN l.id, c.name FROM leg AS l LOOKUP customer AS c BY c.id = l.customer LIMIT 700',
      "SCAN l.id FROM leg AS l USE PRIMARY KEY LOOKUP customer AS c BY c.id = l.customer WHERE c.name = 'name 7'",
    ]) {
      const whole = await session.run(text)
      for (const size of [1, 7, 1_000]) {
        const paged: unknown[] = []
        for await (const page of session.pages(text, size)) paged.push(...page.rows)
        assert.deepEqual(paged, whole.rows, `${text} ${size}`)
      }
    }
  })

  test('reads all tables at one snapshot', async () => {
    const transaction = await session.storage.begin({ readOnly: true })
    const catalog = await session.storage.catalog(transaction)
    await session.run("SET name = 'Anna' ON customer WHERE id = 'a'")
    const text = `GET c.name FROM orders AS o ${BY} WHERE o.id = 1`
    assert.deepEqual((await session.runIn(transaction, catalog, text)).rows, [['Ann']])
    transaction.rollback()
    assert.deepEqual(await rows(text), [{ name: 'Anna' }])
    await session.run("SET name = 'Ann' ON customer WHERE id = 'a'")
  })
})

/** How many keys each multi-get of a statement asks for. */
async function multiGets(storage: Storage, text: string, open = session): Promise<number[]> {
  const transaction = await storage.begin({ readOnly: true })
  const catalog = await storage.catalog(transaction)
  const asked: number[] = []
  const counting = new Proxy(transaction, {
    get(target, property) {
      const member = Reflect.get(target, property, target)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) => {
        if (property === 'getRows') asked.push((given[0] as unknown[]).length)
        return member.apply(target, given)
      }
    },
  }) as Transaction
  await open.runIn(counting, catalog, text)
  transaction.rollback()
  return asked
}

describe('the rows of a LOOKUP', () => {
  test('are read for many rows together, each once a batch', async () => {
    const text = 'SCAN l.id, c.name FROM leg AS l LOOKUP customer AS c BY c.id = l.customer'
    const asked = await multiGets(session.storage, text)
    // A first look at their size, then all there are for up to a thousand rows.
    assert.deepEqual(asked, [20, CUSTOMERS, CUSTOMERS])
  })

  test('are not asked for where a key is NULL, and are asked for only as often as LIMIT needs', async () => {
    const none =
      'SCAN o.id FROM orders AS o LOOKUP customer AS c BY c.id = o.customer OPTIONAL WHERE o.id = 5'
    assert.deepEqual(await multiGets(session.storage, none), [1])
    const five =
      'SCAN l.id, c.name FROM leg AS l LOOKUP customer AS c BY c.id = l.customer OPTIONAL LIMIT 5'
    assert.deepEqual(await multiGets(session.storage, five), [5])
  })

  test('are asked for as LIMIT needs, and for twice as many each time that some were left out', async () => {
    const five = 'SCAN l.id FROM leg AS l LOOKUP customer AS c BY c.id = l.customer LIMIT 5'
    assert.deepEqual(await multiGets(session.storage, five), [5])
    const read = async (text: string) => {
      const [row] = (await rows(`EXPLAIN ANALYZE ${text}`)) as { text: string }[]
      return Number(/measured: (\d+) rows read/.exec(row?.text ?? '')?.[1])
    }
    assert.ok((await read(five)) < 20, `${await read(five)} rows`)
    const last = `${five.replace(' LIMIT 5', '')} WHERE c.name = 'name 59' LIMIT 1`
    const asked = await multiGets(
      session.storage,
      last.replace('FROM leg AS l', 'FROM leg AS l USE PRIMARY KEY'),
    )
    assert.deepEqual(asked, [1, 2, 4, 8, 16, 32])
  })

  test('are held within a bound: large ones are asked for by few', async (t) => {
    const large = await SqlSession.open(
      'CREATE TABLE blob (id INTEGER PRIMARY KEY, body TEXT)',
      'CREATE TABLE part (id INTEGER PRIMARY KEY, blob INTEGER)',
    )
    t.after(() => large.close())
    const mib = 1024 * 1024
    for (let id = 0; id < 40; id += 1) {
      await large.run('INSERT INTO blob (id, body) VALUES (:id, :body)', {
        id,
        body: 'x'.repeat(mib),
      })
    }
    const parts = Array.from({ length: 120 }, (_, at) => `(${at}, ${at % 40})`)
    await large.run(`INSERT INTO part (id, blob) VALUES ${parts.join(', ')}`)
    const text = 'SCAN p.id, length(b.body) AS n FROM part AS p LOOKUP blob AS b BY b.id = p.blob'
    const asked = await multiGets(large.storage, text, large)
    const most = PLANNER_LIMITS.multiGetBytesMax / mib
    assert.ok(
      asked.slice(1).every((count) => count <= most),
      asked.join(),
    )
  })
})

describe('EXPLAIN', () => {
  test('shows each look-up, and ANALYZE its counts', async () => {
    const text = `SCAN o.id, m.name FROM orders AS o
      LOOKUP customer AS c BY c.id = o.customer
      LOOKUP customer AS m BY m.email = o.mail OPTIONAL
      WHERE o.id > 1 AND c.city <> 'x' AND m.name IS NULL`
    const [[shown, json] = []] = (await session.run(`EXPLAIN ANALYZE ${text}`)).rows
    const plan = JSON.parse(String(json))
    assert.deepEqual(plan.bounds, ['o.id > 1'])
    assert.deepEqual(plan.filter, [])
    assert.deepEqual(plan.lookups, [
      {
        table: 'customer',
        name: 'c',
        key: 'PRIMARY KEY (id)',
        by: ['c.id = o.customer'],
        optional: false,
        filter: ["c.city <> 'x'"],
      },
      {
        table: 'customer',
        name: 'm',
        key: 'UNIQUE INDEX byEmail (email)',
        by: ['m.email = o.mail'],
        optional: true,
        covering: true,
        filter: ['m.name IS NULL'],
      },
    ])
    assert.deepEqual(plan.measured.lookups, [
      { keys: 3, rows: 2, roundTrips: 1 },
      { keys: 1, rows: 1, roundTrips: 1 },
    ])
    assert.match(String(shown), /look-up c: customer by PRIMARY KEY \(id\), c\.id = o\.customer;/)
    assert.match(String(shown), /measured of m: 1 key asked, 1 row found, 1 round trip/)
  })
})

for (const [text, code, message, hint] of [
  [
    'SCAN o.id FROM orders AS o LOOKUP customer AS c BY c.city = o.customer',
    'invalid_request',
    /No unique key of customer has the columns \(city\)/,
    /CREATE UNIQUE INDEX customerByCity ON customer \(city\); or give .* BY c\.id = …\./,
  ],
  [
    'SCAN o.id FROM orders AS o LOOKUP customer AS c BY c.id = o.customer AND c.city = o.mail',
    'invalid_request',
    /BY gives all columns of PRIMARY KEY \(id\) of c, and others/,
    /belongs in the WHERE/,
  ],
  [
    'SCAN o.id FROM orders AS o LOOKUP customer AS c BY c.id > o.customer',
    'invalid_request',
    /c\.id > o\.customer/,
    /WHERE/,
  ],
  [
    'SCAN o.id FROM orders AS o LOOKUP customer AS c BY c.id = o.customer OR TRUE',
    'syntax_error',
    /./,
    undefined,
  ],
  [
    'SCAN o.id FROM orders AS o LOOKUP customer AS c BY id = o.customer',
    'invalid_request',
    /The column id is one of o and of c/,
    /o\.id or c\.id/,
  ],
  [
    'SCAN o.id FROM orders AS o LOOKUP customer AS c BY c.id = c.name',
    'invalid_request',
    /from the tables before it/,
    undefined,
  ],
  [
    'SCAN o.id FROM orders AS o LOOKUP customer AS c BY c.id = d.id LOOKUP customer AS d BY d.id = o.customer',
    'unknown_column',
    /No table of this statement is named d/,
    undefined,
  ],
  [
    'SCAN o.id FROM orders AS o LOOKUP customer AS c BY c.id = o.n',
    'type_mismatch',
    /TEXT is wanted here/,
    undefined,
  ],
  [
    "SCAN o.id FROM orders AS o LOOKUP customer AS c BY c.id = o.customer WHERE c.city = 'x'",
    'unbounded_scan',
    /bounds no key of orders/,
    /USE PRIMARY KEY/,
  ],
  [
    'SCAN o.id FROM orders AS o LOOKUP customer AS c BY c.id = o.customer ORDER BY c.name',
    'invalid_request',
    /No key of orders gives this ORDER BY/,
    /LIMIT/,
  ],
  [
    'SCAN o.id FROM orders AS o LOOKUP orders AS o BY o.id = o.n',
    'invalid_request',
    /Two tables of this statement are named o/,
    /AS/,
  ],
  [
    'SCAN * FROM orders AS o LOOKUP customer AS c BY c.id = o.customer',
    'invalid_request',
    /Two columns of the result are named id/,
    /AS/,
  ],
  [
    "GET o.id FROM orders AS o LOOKUP customer AS c BY c.id = o.customer WHERE o.id = 1 AND c.city = 'x'",
    'invalid_request',
    /names each column of the primary key/,
    /SCAN o\.id FROM orders AS o USE PRIMARY KEY LOOKUP customer AS c BY c\.id = o\.customer WHERE/,
  ],
  [
    'GET o.id FROM orders AS o LOOKUP customer AS c BY c.id = o.customer WHERE o.id = 1 FOR UPDATE',
    'invalid_request',
    /FOR UPDATE guards the rows of one table/,
    undefined,
  ],
  [
    `SCAN o.id FROM orders AS o ${[1, 2, 3, 4, 5].map((n) => `LOOKUP customer AS c${n} BY c${n}.id = o.customer`).join(' ')}`,
    'limit_exceeded',
    /at most 4 LOOKUPs/,
    undefined,
  ],
] as const) {
  test(`${text} is ${code}`, async () => {
    await assert.rejects(
      async () => session.run(text),
      (error: { code?: string; message: string; hint?: string }) => {
        if (error.code !== undefined) assert.equal(error.code, code)
        assert.match(error.message, message)
        if (hint !== undefined) assert.match(error.hint ?? '', hint)
        return true
      },
    )
  })
}
