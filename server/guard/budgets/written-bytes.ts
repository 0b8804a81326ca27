// SPDX-License-Identifier: Apache-2.0
import type { Logger } from 'pino'
import {
  type Clock,
  repeat,
  type Storage,
  StorageError,
  type Transaction,
} from '../../../storage/storage.ts'
import {
  dayOf,
  type RoleLimits,
  readRoleWritten,
  secondsToNextDay,
  writeRoleWritten,
} from '../../../storage/tables/access/access.ts'
import { limitExceeded, ServerError } from '../../errors/server-error.ts'
import { inTransaction } from '../../snapshot.ts'

/** How often what was counted is added to the row of its role: what a killed server counted since is lost. */
const SAVE_EVERY_MS = 1_000

/** What a role has written on a day: `saved` by its row, which all servers over a store add to, and `unsaved` here. */
type DayCount = {
  readonly role: string
  readonly day: number
  saved: number
  unsaved: number
  /** Resolves when the row has been read once. */
  known: Promise<void>
}

type WrittenBytesDependencies<Writer> = {
  readonly storage: Pick<Storage, 'begin' | 'isShared'>
  readonly clock: Clock
  readonly log: Logger
  readonly limitsOf: (writer: Writer | undefined) => RoleLimits
}

/**
 * The bytes that each role with the limit `written` commits in a day of UTC, as its transactions count them. They are
 * in memory, and once a second what is new goes into a row of the role, so that no start begins at 0. Of several
 * servers over one store each knows what the others had counted a second ago: together they may let through what the
 * role writes in that second.
 */
export class WrittenBytes<Writer extends { readonly role: string }> {
  readonly #deps: WrittenBytesDependencies<Writer>
  /** Of the roles that have written since the start. */
  readonly #counts = new Map<string, DayCount>()
  readonly #stopping = new AbortController()
  /** Undefined until a role with a limit has written. */
  #saving: Promise<void> | undefined

  constructor(deps: WrittenBytesDependencies<Writer>) {
    this.#deps = deps
  }

  /**
   * Commits, and counts what it was where the role of who commits is limited. Rejects as the commit, and before it with
   * ServerError `limit_exceeded` for more than a day may have, and `rate_limited` for more than is left of this one.
   */
  commit(transaction: Transaction, writer: Writer | undefined): ReturnType<Commit> {
    const max = writer && this.#deps.limitsOf(writer).written
    if (max === undefined || writer === undefined) return transaction.commit()
    return this.#counted(transaction, { role: writer.role, max })
  }

  async #counted(transaction: Transaction, { role, max }: WriterLimit): ReturnType<Commit> {
    const bytes = transaction.written?.bytes ?? 0
    if (bytes > max) throw limitExceeded('written', max, bytes, `Bytes that ${role} writes a day`)
    const count = await this.#countOf(role)
    const actual = count.saved + count.unsaved + bytes
    if (actual > max) throw this.#usedUp({ role, max }, actual)
    count.unsaved += bytes
    try {
      return await transaction.commit()
    } catch (error) {
      const isOpen = error instanceof StorageError && error.code === 'commit_outcome_unknown'
      if (!isOpen) count.unsaved -= bytes
      throw error
    }
  }

  /** Saves what is still to be saved. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#saving
    await this.#save().catch((error) => this.#notSaved(error))
  }

  get #today(): number {
    return dayOf(this.#deps.clock.wallMicros())
  }

  async #countOf(role: string): Promise<DayCount> {
    const day = this.#today
    const found = this.#counts.get(role)
    const count = found?.day === day ? found : this.#begin(role, day)
    await count.known
    return count
  }

  #begin(role: string, day: number): DayCount {
    const count: DayCount = { role, day, saved: 0, unsaved: 0, known: Promise.resolve() }
    this.#counts.set(role, count)
    this.#saving ??= repeat(this.#deps.clock, {
      everyMs: SAVE_EVERY_MS,
      signal: this.#stopping.signal,
      work: () => this.#save(),
      failed: (error) => this.#notSaved(error),
    })
    count.known = this.#exchange([count]).catch((error) => {
      this.#counts.delete(role)
      throw error
    })
    return count
  }

  async #save(): Promise<void> {
    const day = this.#today
    for (const [role, count] of this.#counts) if (count.day < day) this.#counts.delete(role)
    const counts = [...this.#counts.values()]
    const isDue = counts.some(({ unsaved }) => unsaved !== 0)
    if (isDue || (this.#deps.storage.isShared && counts.length > 0)) await this.#exchange(counts)
  }

  /** Adds what is new here to the rows, and learns what they say. Rejects with StorageError, having done neither. */
  async #exchange(counts: readonly DayCount[]): Promise<void> {
    await inTransaction(this.#deps.storage, {}, async (transaction) => {
      const rows = await readRoleWritten(transaction)
      const exchanged = counts.map((count) => {
        const { role, day, unsaved } = count
        const row = rows.get(role)
        const bytes = (row?.day === day ? row.bytes : 0) + unsaved
        // Another server's clock may be in the next day already.
        if (unsaved !== 0 && (row?.day ?? day) <= day)
          writeRoleWritten(transaction, { role, day, bytes })
        return { count, unsaved, bytes }
      })
      if (transaction.hasWrites) await transaction.commit()
      for (const { count, unsaved, bytes } of exchanged) {
        count.saved = bytes
        count.unsaved -= unsaved
      }
    })
  }

  /** The next second tries again: another server may have saved at the same time. */
  #notSaved(error: unknown): void {
    if (error instanceof StorageError && error.isWorthRerun) return
    this.#deps.log.warn({ error: String(error) }, 'what roles have written was not saved')
  }

  #usedUp({ role, max }: WriterLimit, actual: number): ServerError {
    return new ServerError(
      'rate_limited',
      `The role ${role} may write ${max} bytes a day, and with this commit it would be ${actual}. Nothing of it is committed.`,
      {
        limit: 'written',
        limitValue: max,
        actual,
        retryAfterSeconds: secondsToNextDay(this.#deps.clock.wallMicros()),
        hint: 'Write again on the next day of UTC, or have an admin raise it: ALTER ROLE … LIMIT written ….',
      },
    )
  }
}

type Commit = Transaction['commit']

type WriterLimit = { readonly role: string; readonly max: number }
