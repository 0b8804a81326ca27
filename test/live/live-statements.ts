// SPDX-License-Identifier: Apache-2.0
import type { SeededRandomness } from '../seeded-randomness.ts'

export const DEFINITIONS = [
  `CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT)`,
  `CREATE TABLE item (room INTEGER, id INTEGER, customer INTEGER, price DECIMAL(8, 2), title TEXT, meta JSON, note TEXT,
     PRIMARY KEY (room, id DESC), FAMILY apart (note))`,
  'CREATE INDEX byPrice ON item (price)',
  'CREATE INDEX byCustomer ON item (customer, price DESC) STORING (title)',
  'CREATE INDEX byWord ON item (WORDS title)',
  `CREATE INDEX byTag ON item (EACH meta -> 'tags', room, id)`,
] as const

export const ROOMS = 4
export const IDS = 40
export const CUSTOMERS = 8
export const WORDS = ['red', 'green', 'blue', 'old', 'new'] as const
export const TAGS = ['a', 'b', 'c'] as const

/** A statement that a page would show live, with random bounds. */
export function randomStatement(random: SeededRandomness): string {
  const room = random.below(ROOMS)
  const id = random.below(IDS)
  const customer = random.below(CUSTOMERS)
  const limit = 1 + random.below(6)
  const desc = random.below(2) === 0 ? ' DESC' : ''
  const other = desc === '' ? ' DESC' : ''
  const word = WORDS[random.below(WORDS.length)]
  const tag = TAGS[random.below(TAGS.length)]
  const optional = random.below(2) === 0 ? ' OPTIONAL' : ''
  const all = [
    // Windows of the table and of indexes, both ways, and pages after a key.
    `SCAN * FROM item WHERE room = ${room} ORDER BY id${desc} LIMIT ${limit}`,
    `SCAN id, note FROM item WHERE room = ${room} AND id < ${id} ORDER BY id DESC LIMIT ${limit}`,
    `SCAN room, id FROM item WHERE (room, id) > (${room}, ${id}) ORDER BY room, id LIMIT ${limit}`,
    `SCAN id, price FROM item USE INDEX byPrice ORDER BY price${desc} LIMIT ${limit}`,
    `SCAN id, price FROM item WHERE price > ${id} ORDER BY price${desc} LIMIT ${limit}`,
    `SCAN id, title FROM item WHERE customer = ${customer} ORDER BY price${desc} LIMIT ${limit}`,
    `SCAN title, price FROM item WHERE customer = ${customer} ORDER BY price${desc} LIMIT 15`,
    `SCAN title, room FROM item WHERE customer = ${customer} AND price < ${id}`,
    `SCAN id, title FROM item WHERE room = ${room} AND id < 6 ORDER BY id${desc} LIMIT 8`,
    `SCAN id, price FROM item WHERE price > 55 ORDER BY price${desc} LIMIT 30`,
    `SCAN id, note FROM item WHERE customer = ${customer} ORDER BY price${desc} LIMIT ${limit}`,
    `SCAN id, title FROM item WHERE title MATCH '${word}' LIMIT ${limit}`,
    `SCAN id, title FROM item WHERE title MATCH '${word} ${WORDS[0]}*'`,
    `SCAN id FROM item WHERE '${tag}' = ANY (meta -> 'tags') ORDER BY room, id LIMIT ${limit}`,
    // The first of another order.
    `SCAN id, price FROM item WHERE room = ${room} ORDER BY price${desc}, id LIMIT ${limit}`,
    `SCAN id, title FROM item WHERE room = ${room} ORDER BY title, price${other}, id LIMIT ${limit}`,
    // Rows of other tables.
    `SCAN i.id, c.name FROM item AS i LOOKUP customer AS c BY c.id = i.customer${optional} WHERE i.room = ${room}`,
    `SCAN i.id, c.name FROM item AS i LOOKUP customer AS c BY c.id = i.customer${optional} WHERE i.room = ${room} ORDER BY c.name, i.id LIMIT ${limit}`,
    `SCAN c.city, count(*), sum(i.price) FROM item AS i LOOKUP customer AS c BY c.id = i.customer${optional} WHERE i.room = ${room} GROUP BY c.city`,
    `GET i.id, c.city FROM item AS i LOOKUP customer AS c BY c.id = i.customer${optional} WHERE i.room = ${room} AND i.id IN (1, ${id})`,
    // Sums.
    `SCAN count(*) FROM item WHERE room = ${room}`,
    `SCAN count(*), min(price), max(price) FROM item WHERE customer = ${customer}`,
    `SCAN customer, count(*), sum(price) FROM item WHERE room = ${room} GROUP BY customer`,
    `SCAN room, count(*) FROM item USE PRIMARY KEY GROUP BY room HAVING count(*) > ${id / 4}`,
    `SCAN DISTINCT customer FROM item WHERE room = ${room}`,
    `SCAN DISTINCT city FROM customer USE PRIMARY KEY`,
    `SCAN customer, max(price) FROM item WHERE customer >= ${customer} GROUP BY customer`,
    // Conditions on JSON, and what is read by other ways.
    `SCAN id FROM item WHERE room = ${room} AND meta ->> 'n' = '${random.below(3)}' LIMIT ${limit}`,
    `SCAN id, note FROM item WHERE room = ${room} AND (title LIKE '%${word}%' OR note IS NULL) LIMIT ${limit}`,
    `SCAN * FROM item WHERE room = ${room} AND id IN (1, 2, ${id})`,
    `GET name FROM customer WHERE id = ${customer}`,
    `SCAN id FROM item WHERE room = ${room} LIMIT 0`,
  ]
  return all[random.below(all.length)] as string
}

/** Statements of one commit, some of which change nothing that anybody looks at. */
export function randomWrites(random: SeededRandomness): string {
  const count = random.below(20) === 0 ? 30 : 1 + random.below(3)
  return Array.from({ length: count }, () => randomWrite(random)).join('; ')
}

function randomWrite(random: SeededRandomness): string {
  const room = random.below(ROOMS)
  const id = random.below(IDS)
  const customer = random.below(CUSTOMERS)
  const price = `${random.below(60)}.${random.below(10)}`
  const where = `room = ${room} AND id = ${id}`
  const title = `${WORDS[random.below(WORDS.length)]} ${WORDS[random.below(WORDS.length)]}`
  const tags = TAGS.filter(() => random.below(2) === 0).map((tag) => `"${tag}"`)
  const meta = `'{"n": ${random.below(3)}, "tags": [${tags}]}'`
  const whoever = random.below(4) === 0 ? 'NULL' : `${customer}`
  const name = `name ${random.below(4)}`
  switch (random.below(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return `INSERT INTO item (room, id, customer, price, title, meta, note) VALUES (${room}, ${id}, ${whoever}, ${price}, '${title}', ${meta}, NULL) ON CONFLICT DO UPDATE SET price = ${price}, customer = ${whoever}`
    case 4:
    case 5:
    case 6:
      return `DELETE FROM item WHERE ${where}`
    case 7:
      return `SET price = ${price} ON item WHERE ${where}`
    case 8:
      return `SET title = '${title}', meta = ${meta} ON item WHERE ${where}`
    case 9:
      return `SET note = '${random.below(3)}' ON item WHERE ${where}`
    case 10:
      return `INSERT INTO customer (id, name, city) VALUES (${customer}, '${name}', 'city ${random.below(3)}') ON CONFLICT DO UPDATE SET name = '${name}'`
    default:
      return `DELETE FROM customer WHERE id = ${customer}`
  }
}
