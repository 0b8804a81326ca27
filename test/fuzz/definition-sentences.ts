// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check'
import { LITERALS, TYPES } from './literals.ts'

// Definitions of a table that comes and goes, and of indexes and observers on the ones that stay.

type Text = fc.Arbitrary<string>

const COLUMN_NAMES = ['a', 'A', '"a b"', 'key', '"__proto__"', '"constructor"', 'select', 'family']
const someColumn = fc.constantFrom(...COLUMN_NAMES)

const columnDefinition: Text = fc
  .record({
    type: fc.constantFrom(...TYPES, 'BLOB'),
    column: someColumn,
    constraint: fc.constantFrom('', 'NOT NULL', 'PRIMARY KEY', 'DEFAULT now()', 'DEFAULT uuid()'),
  })
  .map(({ type, column, constraint }) => `${column} ${type} ${constraint}`)

const defaulted: Text = fc
  .constantFrom(...TYPES)
  .chain((type) => LITERALS[type].map((initial) => `d ${type} DEFAULT ${initial}`))

const family: Text = fc
  .tuple(fc.constantFrom('f', 'family', '"__proto__"'), fc.constantFrom('d', 'k', 'k, d', 'd, d'))
  .map(([name, columns]) => `, FAMILY ${name} (${columns})`)

const createTable: Text = fc
  .record({
    exists: fc.constantFrom('', 'IF NOT EXISTS '),
    column: columnDefinition,
    defaulted,
    families: fc.array(family, { maxLength: 2 }).map((all) => all.join('')),
  })
  .map(
    ({ exists, column, defaulted, families }) =>
      `CREATE TABLE ${exists}made (k TEXT PRIMARY KEY, ${column}, ${defaulted}${families})`,
  )

const alterTable: Text = fc
  .oneof(
    columnDefinition.map((column) => `ADD COLUMN ${column}`),
    defaulted.map((column) => `ADD COLUMN ${column}`),
    fc.oneof(someColumn, fc.constantFrom('k', 'd')).map((column) => `DROP COLUMN ${column}`),
  )
  .map((change) => `ALTER TABLE made ${change}`)

/** The indexes that hints name. */
export const INDEX_NAMES = ['by_balance', 'by_s', 'by_made']

const createIndex: Text = fc
  .record({
    unique: fc.constantFrom('', 'UNIQUE '),
    exists: fc.constantFrom('', 'IF NOT EXISTS '),
    index: fc.constantFrom(
      'by_balance ON account (balance',
      'by_s ON every (s, n DESC',
      'by_s ON every (j',
      'by_made ON made (d, d',
    ),
    way: fc.constantFrom('', ' ASC', ' DESC'),
    storing: fc.constantFrom('', ' STORING (r)', ' STORING (b, y)', ' STORING (id, nothing)'),
  })
  .map(
    ({ unique, exists, index, way, storing }) =>
      `CREATE ${unique}INDEX ${exists}${index}${way})${storing}`,
  )

/** Observers that come and go on the tables that stay, and one that NOTIFY may find. */
export const OBSERVER_NAMES = ['on_balance', 'on_n', '"__proto__"']
const someObserver = fc.constantFrom(...OBSERVER_NAMES)

const observer: Text = fc.oneof(
  fc
    .record({
      weak: fc.constantFrom('', 'WEAK ', 'WEAK '),
      exists: fc.constantFrom('', 'IF NOT EXISTS '),
      name: someObserver,
      columns: fc.constantFrom(
        'account (balance)',
        'account (id, balance)',
        'every (n, s)',
        'every (j, j)',
        'made (d)',
        'made (nothing)',
      ),
    })
    .map(
      ({ weak, exists, name, columns }) => `CREATE ${weak}OBSERVER ${exists}${name} ON ${columns}`,
    ),
  fc
    .tuple(
      someObserver,
      fc.constantFrom(
        ...['PAUSE', 'RESUME', 'REPLAY FROM 1', "REPLAY FROM '2026-01-01'", 'REPLAY FROM :p'],
        ...['REPLAY FROM 9007199254740993', "REPLAY FROM 'x'"],
      ),
    )
    .map(([name, change]) => `ALTER OBSERVER ${name} ${change}`),
  someObserver.map((name) => `DROP OBSERVER IF EXISTS ${name}`),
)

const dropOrShow: Text = fc.constantFrom(
  'SHOW TABLES',
  'SHOW INDEXES FROM every',
  'SHOW INDEXES FROM made',
  'SHOW CREATE TABLE every',
  'SHOW OBSERVERS',
  'DESCRIBE every',
  'DROP TABLE IF EXISTS made',
  'DROP TABLE made',
  'DROP INDEX by_balance',
  ...INDEX_NAMES.map((name) => `DROP INDEX IF EXISTS ${name}`),
)

export const definition: Text = fc.oneof(createTable, alterTable, createIndex, observer, dropOrShow)
