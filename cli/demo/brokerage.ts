// SPDX-License-Identifier: Apache-2.0
import type { Database } from '../../client-sdk/client.ts'

// A small brokerage whose customers trade all day, for `percolite demo`.

const SCHEMA = [
  'CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, cash DECIMAL(18, 2) NOT NULL)',
  'CREATE TABLE security (symbol TEXT PRIMARY KEY, name TEXT NOT NULL, price DECIMAL(18, 2) NOT NULL)',
  'CREATE TABLE holding (customer INTEGER, symbol TEXT, quantity INTEGER NOT NULL, PRIMARY KEY (customer, symbol))',
  `CREATE TABLE trade (id INTEGER PRIMARY KEY, at TIMESTAMP NOT NULL DEFAULT now(), customer INTEGER NOT NULL,
     symbol TEXT NOT NULL, quantity INTEGER NOT NULL, price DECIMAL(18, 2) NOT NULL)`,
  'CREATE INDEX trade_by_customer ON trade (customer)',
]

const NAMES = ['Ada', 'Bela', 'Caro', 'Dino', 'Elif', 'Finn', 'Gina', 'Hugo', 'Ines', 'Jona']
const SECURITIES = [
  ['BREW', 'Morning Coffee', '12.40'],
  ['CORK', 'Cork & Barrel', '31.05'],
  ['DUNE', 'Dune Solar', '87.90'],
  ['FERN', 'Fern Gardens', '4.50'],
  ['LOOM', 'Loom Textiles', '21.15'],
  ['RAIL', 'Night Trains', '55.20'],
] as const
const CASH = '10000.00'
/** Older ones are deleted, so that a demonstration that is left on does not grow. */
const TRADES_MAX = 1_000

/** Random numbers from 0 up to 1. */
export type Chance = () => number

/** A brokerage of ten customers. */
export class Brokerage {
  readonly #db: Database
  readonly #chance: Chance
  #lastTrade = 0

  private constructor(db: Database, chance: Chance) {
    this.#db = db
    this.#chance = chance
  }

  /** Makes its tables in an empty database. */
  static async create(db: Database, chance: Chance): Promise<Brokerage> {
    await db.execute(SCHEMA)
    const customers = NAMES.map((name, id) => ({ id: id + 1, name, cash: CASH }))
    await db.execute([
      ...customers.map((params) => ({
        sql: 'INSERT INTO customer (id, name, cash) VALUES (:id, :name, :cash)',
        params,
      })),
      ...SECURITIES.map(([symbol, name, price]) => ({
        sql: 'INSERT INTO security (symbol, name, price) VALUES (:symbol, :name, :price)',
        params: { symbol, name, price },
      })),
    ])
    return new Brokerage(db, chance)
  }

  /** One customer buys or sells some of one security, and its price moves: all of it, or nothing. */
  async trade(): Promise<void> {
    const customer = 1 + this.#below(NAMES.length)
    const [symbol] = SECURITIES[this.#below(SECURITIES.length)] as (typeof SECURITIES)[number]
    const id = ++this.#lastTrade
    await this.#db.transaction(async (tx) => {
      const [security] = (
        await tx.query<{ price: string }>('GET price FROM security WHERE symbol = :symbol', {
          symbol,
        })
      ).rows
      const [held] = (
        await tx.query<{ quantity: number }>(
          'GET quantity FROM holding WHERE customer = :customer AND symbol = :symbol',
          { customer, symbol },
        )
      ).rows
      const [owner] = (
        await tx.query<{ cash: string }>('GET cash FROM customer WHERE id = :customer', {
          customer,
        })
      ).rows
      const price = security?.price ?? '0.01'
      const affordable = Math.floor(Number(owner?.cash ?? 0) / Number(price))
      const quantity = this.#quantity(held?.quantity ?? 0, affordable)
      if (quantity === 0) return
      const all = { id, customer, symbol, quantity, price }
      const statements = [
        'SET cash = cash - :price * :quantity ON customer WHERE id = :customer',
        'SET quantity = coalesce(quantity, 0) + :quantity ON holding WHERE customer = :customer AND symbol = :symbol',
        'SET price = greatest(round(price * (1 + :quantity / 1000.0), 2), 0.01) ON security WHERE symbol = :symbol',
        `INSERT INTO trade (id, customer, symbol, quantity, price)
           VALUES (:id, :customer, :symbol, :quantity, :price)`,
      ]
      for (const sql of statements) await tx.query(sql, paramsOf(sql, all))
    })
    if (id > TRADES_MAX) {
      await this.#db.query('DELETE FROM trade WHERE id <= :last', { last: id - TRADES_MAX })
    }
  }

  /** How many are bought, or sold where it is below zero: never more than there are, or than can be paid. */
  #quantity(held: number, affordable: number): number {
    const wanted = this.#below(21) - 10
    return Math.max(-held, Math.min(affordable, wanted))
  }

  #below(limit: number): number {
    return Math.floor(this.#chance() * limit)
  }
}

/** A statement takes the parameters that it names, and no others. */
function paramsOf(sql: string, all: Readonly<Record<string, number | string>>) {
  return Object.fromEntries(Object.entries(all).filter(([name]) => sql.includes(`:${name}`)))
}
