// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { keyString } from '../../cells/row-key.ts'
import type { FoundNotification } from './notification-source.ts'

/** A notification that is being run, or may be run next. */
export type QueuedNotification = FoundNotification & {
  /** How often running it has failed, of failures that were no conflicts. */
  readonly failures: number
  /** How often it has been tried, whatever the outcome. */
  readonly tries: number
}

type Held = {
  readonly notification: QueuedNotification
  /** On the monotonic clock; never when absent. */
  readonly until: number | undefined
  /** The newest cell that was seen meanwhile: it is looked at again afterwards. */
  again: Timestamp | undefined
}

type Delayed = { readonly notification: QueuedNotification; readonly dueMs: number }

/**
 * What is to be run of one observer, as far as this process has seen it. A row is in exactly one of four states, which
 * is the advisory lock on it:
 *
 *     ready      no caller runs it
 *     held       a caller does
 *     delayed    the last run failed, and it is not yet time for the next
 *     dead       it has failed too often; a newer cell of the row makes it ready again
 *
 * Nothing here waits, and nothing is lost with it: the notify cells stay until they are cleared, and a
 * scan finds them.
 */
export class NotificationQueue {
  readonly #ready = new Map<string, QueuedNotification>()
  readonly #held = new Map<string, Held>()
  readonly #delayed = new Map<string, Delayed>()
  #dead: Map<string, Timestamp> = new Map()
  #hasLeftOut = false

  get running(): number {
    return this.#held.size
  }

  /** Whether the queue was too full for something that was offered since the last call. */
  takeHasLeftOut(): boolean {
    const hasLeftOut = this.#hasLeftOut
    this.#hasLeftOut = false
    return hasLeftOut
  }

  /** `isNews`: its change has only just been made, whatever the timestamp of its cell. */
  offer({ key, timestamp }: FoundNotification, isNews?: 'isNews'): void {
    const text = keyString(key)
    const held = this.#held.get(text)
    if (held !== undefined) {
      if (isNews || timestamp > held.notification.timestamp) {
        held.again = Math.max(held.again ?? 0, timestamp)
      }
      return
    }
    if (this.#delayed.has(text) || this.#ready.has(text)) return
    const deadUntil = this.#dead.get(text)
    if (deadUntil !== undefined && timestamp <= deadUntil && !isNews) return
    if (this.#ready.size >= READY_MAX) this.#hasLeftOut = true
    else this.#ready.set(text, { key, timestamp, failures: 0, tries: 0 })
  }

  /**
   * Takes the next one. It is held for the caller until one of the four methods below is called with
   * it, or until the moment `untilMs`.
   */
  take(untilMs?: number): QueuedNotification | undefined {
    for (const [text, notification] of this.#ready) {
      this.#ready.delete(text)
      this.#held.set(text, { notification, until: untilMs, again: undefined })
      return notification
    }
    return undefined
  }

  /** Whether it is still the holder's. */
  isHeld(notification: QueuedNotification): boolean {
    return this.#held.get(keyString(notification.key))?.notification === notification
  }

  /** It has been run and is released. If a notify cell of it is left, a scan finds it again. */
  end(notification: QueuedNotification): void {
    const again = this.#letGo(notification)
    this.#dead.delete(keyString(notification.key))
    if (again !== undefined) this.offer({ key: notification.key, timestamp: again }, 'isNews')
  }

  /** As `end`, and it is ready again at once. */
  giveBack(notification: QueuedNotification): void {
    const again = this.#letGo(notification)
    this.#ready.set(keyString(notification.key), {
      ...notification,
      timestamp: Math.max(again ?? 0, notification.timestamp),
    })
  }

  /** As `end`, and it is ready again at the moment `dueMs`. */
  delay(
    notification: QueuedNotification,
    { dueMs, failures }: { readonly dueMs: number; readonly failures: number },
  ): void {
    const again = this.#letGo(notification)
    const { key } = notification
    const delayed = {
      key,
      timestamp: Math.max(again ?? 0, notification.timestamp),
      failures,
      tries: notification.tries + 1,
    }
    this.#delayed.set(keyString(key), { notification: delayed, dueMs })
  }

  /** As `end`, and it is not run before a newer cell is seen. */
  bury(notification: QueuedNotification): void {
    const again = this.#letGo(notification)
    this.#dead.set(keyString(notification.key), notification.timestamp)
    if (again !== undefined) this.offer({ key: notification.key, timestamp: again }, 'isNews')
  }

  /** What is known of dead letters, instead of what was known. */
  setDead(dead: Map<string, Timestamp>): void {
    this.#dead = dead
  }

  /** Makes what is delayed ready, because the observer was resumed or is replayed. */
  hasten(): void {
    for (const { notification } of this.#delayed.values()) this.#makeReady(notification)
    this.#delayed.clear()
  }

  /** Makes ready what is due, and what was held for too long. Returns when the next one is due. */
  turnDue(nowMs: number): number | undefined {
    let next: number | undefined
    for (const [text, { notification, dueMs }] of this.#delayed) {
      if (dueMs <= nowMs) {
        this.#delayed.delete(text)
        this.#makeReady(notification)
      } else next = Math.min(next ?? dueMs, dueMs)
    }
    for (const { notification, until } of [...this.#held.values()]) {
      if (until === undefined) continue
      if (until <= nowMs) this.giveBack(notification)
      else next = Math.min(next ?? until, until)
    }
    return next
  }

  #makeReady(notification: QueuedNotification): void {
    this.#ready.set(keyString(notification.key), notification)
  }

  #letGo(notification: QueuedNotification): Timestamp | undefined {
    const text = keyString(notification.key)
    const held = this.#held.get(text)
    if (held?.notification !== notification) return undefined
    this.#held.delete(text)
    return held.again
  }
}

const READY_MAX = 4_096
