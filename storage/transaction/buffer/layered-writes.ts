// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cell-store/cell.ts'
import type { Hint } from '../records/notify-cell.ts'
import { BufferedNotifications, type NotifiedRow } from './buffered-notifications.ts'
import {
  type BufferedRow,
  type BufferedWrite,
  type ByteBudget,
  WriteBuffer,
} from './write-buffer.ts'

/** What a running statement has written so far, which its reads do not show. */
export type StatementLayer = {
  readonly buffer: WriteBuffer
  notifications: BufferedNotifications | undefined
}

/**
 * What a transaction has written and whom it notifies, and on top of that the layer of the statement
 * that is running: merged when the statement succeeds, dropped when it fails.
 */
export class LayeredWrites {
  /** What earlier statements have written, which all reads show. */
  readonly buffer: WriteBuffer
  readonly #budget: ByteBudget
  /** There as soon as the transaction notifies somebody, which most never do. */
  #notifications: BufferedNotifications | undefined
  #layer: StatementLayer | undefined

  constructor(budget: ByteBudget) {
    this.#budget = budget
    this.buffer = new WriteBuffer(budget)
  }

  get isEmpty(): boolean {
    return this.buffer.isEmpty && this.#notifications === undefined
  }

  get hasLayer(): boolean {
    return this.#layer !== undefined
  }

  get hints(): readonly Hint[] {
    return this.#notifications?.hints ?? []
  }

  /** These rows of the buffer, each with the observers that its own change notifies. */
  withNotified(rows: readonly BufferedRow[]): readonly BufferedRow[] {
    return this.#notifications?.withNotified(rows) ?? rows
  }

  write(key: Uint8Array, column: string, write: BufferedWrite): void {
    const buffer = this.#layer?.buffer ?? this.buffer
    buffer.write(key, column, write)
  }

  notifyStrongly(key: Uint8Array, observerId: number): void {
    this.#current().notifyStrongly(key, observerId)
  }

  hint(key: Uint8Array, observerId: number, changedBy?: Timestamp): void {
    this.#current().hint(key, observerId, changedBy)
  }

  /** What the running statement itself has put or deleted there. */
  layerWrite(
    key: Uint8Array,
    column: string,
  ): Exclude<BufferedWrite, { kind: 'guard' }> | undefined {
    return this.#layer?.buffer.valueWrite(key, column)
  }

  beginLayer(): StatementLayer {
    this.#layer = { buffer: new WriteBuffer(this.#budget), notifications: undefined }
    return this.#layer
  }

  /** All of the layer, or nothing and `limit_exceeded`. */
  mergeLayer({ buffer, notifications }: StatementLayer): void {
    if (notifications === undefined) {
      this.buffer.merge(buffer)
      return
    }
    this.#notifications ??= new BufferedNotifications(this.#budget)
    this.#notifications.checkRoomFor(notifications)
    this.buffer.merge(buffer)
    this.#notifications.merge(notifications)
  }

  endLayer({ buffer, notifications }: StatementLayer): void {
    buffer.clear()
    notifications?.clear()
    this.#layer = undefined
  }

  /** Gives all of it back, and answers whom the transaction notifies. */
  clear(): readonly NotifiedRow[] {
    this.buffer.clear()
    const notified = this.#notifications?.all() ?? []
    this.#notifications?.clear()
    return notified
  }

  #current(): BufferedNotifications {
    const of = this.#layer
    if (of !== undefined) {
      of.notifications ??= new BufferedNotifications(this.#budget)
      return of.notifications
    }
    this.#notifications ??= new BufferedNotifications(this.#budget)
    return this.#notifications
  }
}
