// SPDX-License-Identifier: Apache-2.0
import type { StoreAnswers } from '../../cells/store-answers.ts'
import type { SecondCopyState } from '../../cells/store-replication.ts'
import { StorageError } from '../../errors.ts'
import type { ProtocolContext } from '../../transactions/protocol/protocol-context.ts'
import { DiskWatch } from './disk-watch.ts'
import { FileWatch } from './file-watch.ts'
import { clockStatusOf } from './storage-status.ts'
import { type StorageWarning, warningsOf } from './storage-warnings.ts'

type Followed = { readonly secondCopy: SecondCopyState }

/** Whether the store can be used now, as far as that is known without asking it. */
export class StoreHealth {
  readonly disk: DiskWatch
  readonly files: FileWatch
  readonly #context: ProtocolContext
  readonly #answers: StoreAnswers | undefined
  readonly #primary: Followed | undefined

  /** `primary` is the store as others follow it. */
  constructor(
    context: ProtocolContext,
    {
      answers,
      primary,
    }: { readonly answers?: StoreAnswers | undefined; readonly primary?: Followed | undefined },
  ) {
    this.#primary = primary
    this.disk = new DiskWatch(context)
    this.files = new FileWatch(context)
    this.#context = context
    this.#answers = answers
  }

  async start(): Promise<void> {
    await this.disk.start()
    this.files.start()
  }

  async stop(): Promise<void> {
    await this.files.stop()
    await this.disk.stop()
    await this.#answers?.stop()
  }

  /** For how long a store on other machines has left calls unanswered; 0 while it answers. */
  get silentMs(): number {
    return this.#answers?.silentMs ?? 0
  }

  /** When it last answered, on this machine's clock; undefined for a store in this process. */
  get answeredMicros(): number | undefined {
    return this.#answers?.answeredMicros
  }

  /** Told that a record was met which cannot be what was written: a warning from now on. */
  meetDamage(): void {
    this.disk.pages.meetDamage()
  }

  /** Why it cannot serve now; undefined while it can. */
  get outage(): StorageError | undefined {
    if (this.files.lost !== undefined) return this.files.lost
    if (this.#answers?.isSilent !== true) return undefined
    const seconds = Math.floor(this.silentMs / 1000)
    return new StorageError('store_unavailable', `The store has not answered for ${seconds} s.`)
  }

  /** What an operator should see to; the store still serves all it can. */
  get warnings(): readonly StorageWarning[] {
    const clock = clockStatusOf(this.#context.oracle)
    return warningsOf(this.disk, clock, this.#primary?.secondCopy)
  }
}
