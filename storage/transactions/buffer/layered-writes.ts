// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { BufferedNotifications, type NotifiedRow } from './buffered-notifications.ts'
import {
  type BufferBudget,
  type BufferedWrite,
  type ByteBudget,
  type ValueWrite,
  WriteBuffer,
} from './write-buffer.ts'

/**
 * What a transaction has written and the observers it notifies, and on top of that the layer of the running statement:
 * merged when the statement succeeds, dropped when it fails. Every part of it is created by what first needs it: most
 * transactions only read.
 */
export class LayeredWrites {
  readonly #shared: BufferBudget
  readonly #own: ByteBudget | undefined
  #buffer: WriteBuffer | undefined
  #notifications: BufferedNotifications | undefined
  #isStatementRunning = false
  /** The writes of the running statement, which its reads do not show. */
  #layer: WriteBuffer | undefined
  #layerNotifications: BufferedNotifications | undefined

  /** `own` bounds its bytes and `shared` counts them; without an own budget the shared one bounds them. */
  constructor(shared: BufferBudget, own: ByteBudget | undefined) {
    this.#shared = shared
    this.#own = own
  }

  /** The writes of earlier statements, which all reads show; undefined where there is none. */
  get buffer(): WriteBuffer | undefined {
    return this.#buffer
  }

  get isEmpty(): boolean {
    return (this.#buffer?.isEmpty ?? true) && this.#notifications === undefined
  }

  get isStatementRunning(): boolean {
    return this.#isStatementRunning
  }

  /** Undefined where it notifies nobody. */
  get notifications(): BufferedNotifications | undefined {
    return this.#notifications
  }

  write(key: Uint8Array, column: string, write: BufferedWrite): void {
    if (this.#isStatementRunning) this.#layer ??= new WriteBuffer(this.#shared, this.#own)
    else this.#buffer ??= new WriteBuffer(this.#shared, this.#own)
    const buffer = this.#layer ?? this.#buffer
    buffer?.write(key, column, write)
  }

  notifyStrongly(key: Uint8Array, observerId: number): void {
    this.#current().notifyStrongly(key, observerId)
  }

  hint(key: Uint8Array, observerId: number, changedBy?: Timestamp): void {
    this.#current().hint(key, observerId, changedBy)
  }

  /** What the running statement itself has put or deleted there. */
  layerWrite(key: Uint8Array, column: string): ValueWrite | undefined {
    return this.#layer?.valueWrite(key, column)
  }

  beginStatement(): void {
    this.#isStatementRunning = true
  }

  /** Takes over all writes of the statement. Throws `limit_exceeded`, and then takes over none. */
  mergeLayer(): void {
    const notifications = this.#layerNotifications
    if (notifications !== undefined) {
      this.#notifications ??= new BufferedNotifications(this.#shared, this.#own)
      this.#notifications.checkRoomFor(notifications)
    }
    if (this.#buffer === undefined) {
      this.#buffer = this.#layer
      this.#layer = undefined
    } else if (this.#layer !== undefined) this.#buffer.merge(this.#layer)
    if (notifications !== undefined) this.#notifications?.merge(notifications)
  }

  /** Drops what was not merged. */
  endStatement(): void {
    this.#layer?.release()
    this.#layer = undefined
    this.#layerNotifications?.clear()
    this.#layerNotifications = undefined
    this.#isStatementRunning = false
  }

  /** Releases everything, and returns the rows that the transaction notifies. */
  clear(): readonly NotifiedRow[] {
    this.#buffer?.release()
    this.#buffer = undefined
    const notified = this.#notifications?.all() ?? []
    this.#notifications?.clear()
    return notified
  }

  #current(): BufferedNotifications {
    if (this.#isStatementRunning) {
      this.#layerNotifications ??= new BufferedNotifications(this.#shared, this.#own)
      return this.#layerNotifications
    }
    this.#notifications ??= new BufferedNotifications(this.#shared, this.#own)
    return this.#notifications
  }
}
