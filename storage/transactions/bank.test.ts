// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SeededRandomness } from '../../test/seeded-randomness.ts'
import { rowKey } from '../../test/storage/cell-notation.ts'
import { EmbeddedWorld } from '../../test/storage/embedded-world.ts'
import type { Fault } from '../../test/storage/faulty-cell-store.ts'
import { COLUMN, ProtocolWorld } from '../../test/storage/protocol-world.ts'
import type { Timestamp } from '../cells/cell.ts'
import { CellStoreError } from '../cells/cell-store.ts'
import { StorageError } from '../errors.ts'
import type { TimestampOracle } from './oracle/timestamp-oracle.ts'
import type { Transaction } from './transaction.ts'

/**
 * Transfers between accounts. From two gateways at once, over a store that loses requests and
 * answers, with a liveness that is a coin flip: transactions are taken for dead while they live, at
 * any moment. And in the process that owns its store, by either way to commit, with a writer that is
 * slow, refuses batches, and shows some before it answers them. At every snapshot the sum is the
 * same, and what was acknowledged is there. Seeds are fixed; `BANK_SEED=n` runs one of them alone,
 * and a failure names its seed.
 */
const ACCOUNTS = ['ann', 'bob', 'eve', 'joe', 'sue'] as const
const OPENING = 100
const OPENED = ACCOUNTS.map((name) => `${name} write@2 -> 1 put ${OPENING}`)
const SEEDS = process.env.BANK_SEED
  ? [Number(process.env.BANK_SEED)]
  : Array.from({ length: 60 }, (_, index) => index + 1)

/** Where transactions run: a gateway, or the only process of an embedded store. */
type Participant = {
  beginAt(startTs: Timestamp): Transaction
  read(row: string, readTs: Timestamp): Promise<string | null>
}

/** A store with its participants, and how it comes to rest: without faults, and with nobody alive. */
type Bank = {
  readonly oracle: TimestampOracle
  readonly tellers: readonly Participant[]
  readonly rest: () => Promise<Participant>
  readonly cells: () => Promise<string[]>
}

type Ledger = { readonly id: string; readonly outcome: 'committed' | 'aborted' | 'unknown' }[]

function amountIn(bytes: Uint8Array | undefined): number {
  return Number(Buffer.from(bytes ?? []).toString())
}

async function sumAt(gateway: Participant, readTs: number): Promise<number> {
  const rows = await gateway.beginAt(readTs).getRows(
    ACCOUNTS.map((name) => rowKey(name)),
    [COLUMN],
  )
  return rows.reduce((sum, row) => sum + amountIn(row?.columns.get(COLUMN)?.value), 0)
}

async function transfer(
  gateway: Participant,
  bank: Bank,
  random: SeededRandomness,
  ledger: Ledger,
) {
  const from = random.below(ACCOUNTS.length)
  const to = (from + 1 + random.below(ACCOUNTS.length - 1)) % ACCOUNTS.length
  const { timestamp } = await bank.oracle.next()
  const transaction = gateway.beginAt(timestamp)
  const id = `m${timestamp}`
  try {
    const keys = [rowKey(ACCOUNTS[from] as string), rowKey(ACCOUNTS[to] as string)]
    const rows = await transaction.getRows(keys, [COLUMN])
    const amount = random.below(20)
    for (const [index, key] of keys.entries()) {
      const before = amountIn(rows[index]?.columns.get(COLUMN)?.value)
      const after = index === 0 ? before - amount : before + amount
      transaction.put(key, COLUMN, Buffer.from(String(after)))
    }
    // A marker row for each transfer tells afterwards whether it is there.
    transaction.put(rowKey(id), COLUMN, Buffer.from('x'))
    await transaction.commit()
    ledger.push({ id, outcome: 'committed' })
  } catch (error) {
    if (error instanceof CellStoreError)
      transaction.rollback() // The store failed in a read.
    else if (!(error instanceof StorageError)) throw error
    const isUnknown = error instanceof StorageError && error.code === 'commit_outcome_unknown'
    ledger.push({ id, outcome: isUnknown ? 'unknown' : 'aborted' })
  }
}

async function sharedBank(random: SeededRandomness): Promise<Bank> {
  const world = new ProtocolWorld(100)
  await world.given(...OPENED)
  const faultRate = random.fraction() * 0.15
  const deathRate = random.fraction() * 0.3
  for (const { store, liveness } of [world.a, world.b]) {
    store.fault = async () => {
      await someTurns(random)
      const faults: Fault[] = ['requestLost', 'answerLost', 'refused']
      return random.fraction() < faultRate ? (faults[random.below(3)] as Fault) : 'none'
    }
    liveness.isOwnerDead = async () => random.fraction() < deathRate
  }
  return {
    oracle: world.oracle,
    tellers: [world.a, world.a, world.b, world.b],
    cells: () => world.cells(),
    rest: async () => {
      await world.cells()
      world.b.store.fault = () => 'none'
      world.b.liveness.isOwnerDead = async () => true
      return world.b
    },
  }
}

async function embeddedBank(random: SeededRandomness): Promise<Bank> {
  const world = new EmbeddedWorld(100)
  const { store } = world
  await world.given(...OPENED)
  store.isHeld = false
  const faultRate = random.fraction() * 0.15
  store.fate = async () => {
    await someTurns(random)
    if (random.fraction() < faultRate) return 'refuse'
    if (random.fraction() < 0.5) await store.show()
    await someTurns(random)
    return 'apply'
  }
  return {
    oracle: world.oracle,
    tellers: [world, world, world, world],
    cells: () => world.cells(),
    rest: async () => {
      await world.context.background.drain()
      assert.equal(world.latches.size, 0)
      return world
    },
  }
}

async function someTurns(random: SeededRandomness): Promise<void> {
  for (let turns = random.below(3); turns > 0; turns -= 1) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function run(bank: Bank, random: SeededRandomness): Promise<Ledger> {
  const ledger: Ledger = []
  const worker = async (gateway: Participant) => {
    for (let round = 0; round < 12; round += 1) {
      await transfer(gateway, bank, random, ledger)
      const { timestamp } = await bank.oracle.next()
      const sum = await sumAt(gateway, timestamp).catch((error: unknown) => {
        // A read may lose a request while it clears a lock, or wait too long; the next one will do.
        const isOfNoUse = error instanceof StorageError && error.code === 'locked'
        if (error instanceof CellStoreError || isOfNoUse) return OPENING * ACCOUNTS.length
        throw error
      })
      assert.equal(sum, OPENING * ACCOUNTS.length, `sum at ${timestamp}`)
    }
  }
  await Promise.all(bank.tellers.map(worker))
  await checkAtRest(bank, ledger)
  return ledger
}

/** Without faults, and with everybody dead: all locks can be settled, and the ledger is right. */
async function checkAtRest(bank: Bank, ledger: Ledger): Promise<void> {
  const gateway = await bank.rest()
  const { timestamp } = await bank.oracle.next()
  assert.equal(await sumAt(gateway, timestamp), OPENING * ACCOUNTS.length)
  for (const { id, outcome } of ledger) {
    const isThere = (await gateway.read(id, timestamp)) !== null
    if (outcome !== 'unknown') assert.equal(isThere, outcome === 'committed', `transfer ${id}`)
  }
  assert.deepEqual(
    (await bank.cells()).filter((line) => line.includes(' lock@')),
    [],
  )
}

const BANKS: Readonly<Record<string, (random: SeededRandomness) => Promise<Bank>>> = {
  'two gateways': sharedBank,
  'one process, one-phase commit': embeddedBank,
}

describe('the bank', () => {
  for (const [name, open] of Object.entries(BANKS)) {
    test(`${name}: keeps its sum at every snapshot, seeds ${SEEDS[0]} to ${SEEDS.at(-1)}`, async () => {
      const total = { committed: 0, aborted: 0, unknown: 0 }
      for (const seed of SEEDS) {
        try {
          const random = new SeededRandomness(seed)
          for (const { outcome } of await run(await open(random), random)) total[outcome] += 1
        } catch (error) {
          throw new Error(`seed ${seed} (BANK_SEED=${seed} runs it alone)`, { cause: error })
        }
      }
      console.log(`bank of ${name}: ${JSON.stringify(total)}`)
      if (SEEDS.length > 1) assert.ok(total.committed > 100 && total.aborted > 100)
    })
  }
})
