// SPDX-License-Identifier: Apache-2.0

import type { RowOf, TableName } from '../schema/schema.ts'
import { CounterRandom, type RowRandom } from './counter-random.ts'
import { accountIdentifier, identifier, ownerOfAccount } from './identifiers.ts'
import { capitalized, taxIdOf, word } from './names.ts'
import { BROKERS_PER_LOAD_UNIT, type Profile } from './profiles.ts'
import { accountsOfRank, basketBounds, type Tier, tierOfRank } from './tiers.ts'

/** The streams of the seed that make the population; those of a run begin at 128. */
export const STREAMS = {
  account: 2,
  basket: 3,
  watchList: 4,
  competitor: 5,
  dailyMarket: 6,
  news: 7,
  security: 8,
  company: 9,
  address: 10,
  trade: 11,
} as const

export const RUN_STREAM_FIRST = 128

export type Customer = {
  /** Counted from 0. */
  readonly number: number
  readonly id: number
  readonly tier: Tier
  readonly accounts: number
  readonly taxId: string
  readonly firstName: string
  readonly lastName: string
}

/** Someone who may trade for an account. */
export type Permission = Pick<Customer, 'taxId' | 'firstName' | 'lastName'> & {
  readonly rights: string
}

export type Account = {
  readonly id: number
  readonly customer: Customer
  readonly brokerId: number
  readonly taxStatus: 0 | 1 | 2
  /** Cents. */
  readonly balance: number
  /** The owner's first. */
  readonly permissions: readonly [Permission, ...Permission[]]
}

const BALANCE_MAX = 999_999_999

/** Who there is: customers and their accounts, each computed alone from the seed. */
export class Population {
  readonly profile: Profile
  readonly seed: bigint
  readonly random: CounterRandom

  constructor(profile: Profile, seed: bigint) {
    this.profile = profile
    this.seed = seed
    this.random = new CounterRandom(seed)
  }

  customer(number: number): Customer {
    const { loadUnit } = this.profile
    const unit = Math.floor(number / loadUnit)
    const rank = rankInUnit(this.profile, unit, number % loadUnit)
    // The formulas are those of 1000 ranks; a smaller unit uses every tenth of them.
    const fullRank = rank * (1_000 / loadUnit)
    return {
      number,
      id: identifier(number),
      tier: tierOfRank(fullRank),
      accounts: accountsOfRank(fullRank),
      taxId: taxIdOf(number),
      firstName: capitalized(word(number * 2)),
      lastName: capitalized(word(number * 2 + 1)),
    }
  }

  /** `ordinal` is from 0 to `accounts` - 1. */
  account(customer: Customer, ordinal: number): Account {
    const id = accountIdentifier(customer.number, ordinal)
    const random = this.#rowOfAccount(STREAMS.account, customer, ordinal)
    const unit = Math.floor(customer.number / this.profile.loadUnit)
    const broker = unit * BROKERS_PER_LOAD_UNIT + random.below(BROKERS_PER_LOAD_UNIT)
    const status = random.next()
    const isPositive = random.chance(0.8)
    const amount = random.between(0, BALANCE_MAX)
    const others = random.next()
    const howMany = others < 0.6 ? 0 : others < 0.98 ? 1 : 2
    const distances = random.distinctBelow(this.profile.customers - 1, howMany)
    const agents = distances.map((distance, place) => {
      const number = (customer.number + 1 + distance) % this.profile.customers
      return { ...this.customer(number), rights: place === 0 ? '0001' : '0011' }
    })
    return {
      id,
      customer,
      brokerId: identifier(broker),
      taxStatus: status < 0.2 ? 0 : status < 0.7 ? 1 : 2,
      balance: isPositive ? amount : -1 - amount,
      permissions: [{ ...customer, rights: '0000' }, ...agents],
    }
  }

  /** The securities, by their numbers, in which an account ever trades. */
  basket(customer: Customer, ordinal: number): readonly number[] {
    const random = this.#rowOfAccount(STREAMS.basket, customer, ordinal)
    const { min, max } = basketBounds(customer.tier, customer.accounts)
    return random.distinctBelow(this.profile.securities, random.between(min, max))
  }

  accountWithId(id: number): Account {
    const { customer, ordinal } = ownerOfAccount(id)
    return this.account(this.customer(customer), ordinal)
  }

  #rowOfAccount(stream: number, customer: Customer, ordinal: number) {
    return this.random.row(stream, customer.number * 10 + ordinal)
  }
}

/** Coprime to 10. Ranks are scattered over the ids of a unit, differently in each unit. */
const SCATTER_STEP = 787

/** Which customer of a unit, counted from 0, has this rank. */
function customerOfRank(profile: Profile, unit: number, rank: number): number {
  const { loadUnit } = profile
  return (rank * SCATTER_STEP + scatterShift(unit)) % loadUnit
}

function rankInUnit(profile: Profile, unit: number, place: number): number {
  const { loadUnit } = profile
  const inverse = inverseModulo(SCATTER_STEP % loadUnit, loadUnit)
  const unshifted = (place - (scatterShift(unit) % loadUnit) + loadUnit) % loadUnit
  return (unshifted * inverse) % loadUnit
}

function scatterShift(unit: number): number {
  return unit * 331 + 89
}

/** Euclid's algorithm; both are coprime. */
function inverseModulo(number: number, modulus: number): number {
  let [remainder, next] = [modulus, number]
  let [coefficient, nextCoefficient] = [0, 1]
  while (next !== 0) {
    const quotient = Math.floor(remainder / next)
    ;[remainder, next] = [next, remainder - quotient * next]
    ;[coefficient, nextCoefficient] = [nextCoefficient, coefficient - quotient * nextCoefficient]
  }
  return ((coefficient % modulus) + modulus) % modulus
}

/**
 * How often a customer of this rank is chosen, as a piecewise linear density over ranks 0 to 1000: the
 * tiers have 10, 60 and 30 percent of all choices.
 */
const DENSITY = [
  { from: 0, to: 200, atFrom: 0.6, atTo: 1.4 },
  { from: 200, to: 800, atFrom: 1.4, atTo: 2.6 },
  { from: 800, to: 1_000, atFrom: 2.6, atTo: 3.4 },
] as const
const FULL_UNIT = 1_000

/** Who trades next: any load unit, and in it the customers of higher rank more often. */
export class CustomerChoice {
  readonly #population: Population
  /** The share of all choices up to and with each rank. */
  readonly #shares: Float64Array

  constructor(population: Population) {
    this.#population = population
    const { loadUnit } = population.profile
    const shares = new Float64Array(loadUnit)
    let sum = 0
    for (let rank = 0; rank < loadUnit; rank += 1) {
      sum += densityAt(((rank + 0.5) * FULL_UNIT) / loadUnit)
      shares[rank] = sum
    }
    this.#shares = shares.map((share) => share / sum)
  }

  choose(random: Pick<RowRandom, 'below' | 'next'>): Customer {
    const { profile } = this.#population
    const unit = random.below(profile.loadUnits)
    const rank = this.#rankAt(random.next())
    return this.#population.customer(unit * profile.loadUnit + customerOfRank(profile, unit, rank))
  }

  #rankAt(share: number): number {
    let low = 0
    let high = this.#shares.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#shares[middle] as number) > share) high = middle
      else low = middle + 1
    }
    return low
  }
}

function densityAt(rank: number): number {
  const piece = DENSITY.find(({ to }) => rank < to) ?? DENSITY[2]
  const part = (rank - piece.from) / (piece.to - piece.from)
  return piece.atFrom + part * (piece.atTo - piece.atFrom)
}

/**
 * Where the rows of a table come from: so many parents, each with its rows, and any parent's rows can be
 * made alone. All parents in their order are the table.
 */
export type TableRows<Table extends TableName> = {
  parents(population: Population): number
  rowsOf(population: Population, parent: number): readonly RowOf<Table>[]
}

/** Those of some tables. */
export type RowsOfTables = { readonly [Table in TableName]?: TableRows<Table> }

type Parents = number | ((population: Population) => number)

/** One row for each parent. */
export function each<Row>(
  parents: Parents,
  rowOf: (population: Population, parent: number) => Row,
) {
  return several(parents, (population, parent) => [rowOf(population, parent)])
}

/** Any number of rows for each parent. */
export function several<Row>(
  parents: Parents,
  rowsOf: (population: Population, parent: number) => readonly Row[],
) {
  return { parents: typeof parents === 'number' ? () => parents : parents, rowsOf }
}
