// SPDX-License-Identifier: Apache-2.0
import { openStorage, type Storage, StorageError } from '../../storage/storage.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { rowsToJson, SqlSession } from '../sql-session.ts'

const WRITERS = 64
const ACCOUNTS = 100
const OPENING = 1_000
export const SUM = ACCOUNTS * OPENING

/** Longer than what a cell has in itself, so it is a row of its own in the file. */
const LONG_NOTE = 'x'.repeat(20_000)

/** Many writers that move amounts between accounts, in transactions, so the sum is always `SUM`. */
export class Transfers {
  readonly storage: Storage
  readonly #session: SqlSession
  readonly #random: SeededRandomness
  #writing: Promise<unknown> = Promise.resolve()
  #isStopped = false
  commits = 0

  private constructor(storage: Storage, seed: number) {
    this.storage = storage
    this.#session = SqlSession.over(storage)
    this.#random = new SeededRandomness(seed)
  }

  static async begin(
    dataDirectory: string,
    { commit, seed }: { readonly commit: 'one-phase' | 'two-phase'; readonly seed: number },
  ): Promise<Transfers> {
    const transfers = new Transfers(
      await openStorage({ engine: 'sqlite', dataDirectory, commit }),
      seed,
    )
    const session = transfers.#session
    await session.run(
      'CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL, note TEXT)',
    )
    await session.run('CREATE INDEX accountByBalance ON account (balance)')
    const rows = Array.from({ length: ACCOUNTS }, (_, id) => `(${id}, ${OPENING}, NULL)`)
    await session.run(`INSERT INTO account (id, balance, note) VALUES ${rows.join(', ')}`)
    transfers.#writing = Promise.all(Array.from({ length: WRITERS }, () => transfers.#write()))
    return transfers
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#writing
  }

  async #write(): Promise<void> {
    const random = this.#random
    while (!this.#isStopped) {
      const [from, to] = [random.below(ACCOUNTS), random.below(ACCOUNTS)]
      if (from === to) continue
      const note = random.below(10) === 0 ? `, note = '${LONG_NOTE}${random.below(1e6)}'` : ''
      const amount = random.below(10)
      try {
        await this.#session.run(
          `SET balance = balance - ${amount}${note} ON account WHERE id = ${from};
           SET balance = balance + ${amount} ON account WHERE id = ${to}`,
        )
        this.commits += 1
      } catch (error) {
        if (!(error instanceof StorageError && error.retryable)) throw error
      }
    }
  }
}

export type Account = {
  readonly id: number
  readonly balance: number
  readonly note: string | null
}

/** All accounts, at a timestamp or the newest. */
export async function accountsOf(storage: Storage, asOf?: number): Promise<readonly Account[]> {
  const session = SqlSession.over(storage)
  const transaction = await storage.begin(asOf === undefined ? {} : { asOf })
  try {
    const catalog = await storage.catalog(transaction)
    const scan = 'SCAN id, balance, note FROM account USE PRIMARY KEY'
    return rowsToJson(await session.runIn(transaction, catalog, scan)) as Account[]
  } finally {
    transaction.rollback()
  }
}

export function sumOf(accounts: readonly Account[]): number {
  return accounts.reduce((sum, { balance }) => sum + Number(balance), 0)
}
