// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { limitExceeded, StorageError } from '../../errors.ts'
import { invariant } from '../../invariant.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import { compareText } from '../../values/sql-value.ts'
import { type AccessReads, AccessRows, type AccessWrites } from './access-rows.ts'

/** A relay as it was defined. Its secret is kept as it is, since it signs. */
export type AccessRelay = {
  readonly name: string
  /** What ids of its messages begin with: a later relay of the same name has another. */
  readonly id: string
  readonly url: string
  /** Ids, so that a table that is renamed stays, and another one of its name is none of them. */
  readonly tables: readonly number[]
  /** Whose rows are sent; all of them where it is absent. */
  readonly role?: string
  readonly secret: string
  /** The one from before the last rotation, and until when messages are signed with it, too. */
  readonly former?: { readonly secret: string; readonly until: Timestamp }
  readonly created: Timestamp
}

/**
 * How far a relay has come: only its sender and statements about it write this row, so that of two senders one
 * conflicts (L1).
 *
 *     position 7, within: nothing              the receiver has every commit up to 7
 *     position 7, within: commit 9, part 3     and parts 1 and 2 of commit 9
 */
export type RelayProgress = {
  readonly name: string
  readonly position: Timestamp
  /** Of which history of the store the position is. */
  readonly history: string
  readonly within?: RelayPart
  /** The incarnation of the process that sends. */
  readonly holder?: string
  /** Grows with each statement that changes where or whether it sends: a sender of an earlier one ends. */
  readonly epoch: number
  readonly isPaused: boolean
  /** Whether everything was sent when the position was written. */
  readonly isIdle: boolean
  readonly stopped?: RelayStop
  /** The receiver has not taken the next message yet. */
  readonly failing?: RelayFailure
  /** Messages that were taken. */
  readonly sent: number
}

/** The next part of a commit, or of a snapshot, of which the parts before were taken. */
export type RelayPart = {
  readonly kind: 'commit' | 'snapshot'
  readonly at: Timestamp
  /** From 1. */
  readonly part: number
  /** Where it begins: a position among the rows of the commit, or a row key in hexadecimal digits. */
  readonly from: number | string
  /** Where it ends, excluded, once it may have been sent: its content may not become another (L3). */
  readonly end?: number | string
}

export type RelayStopReason =
  /** The store does not keep any more what comes next. */
  | 'relay_too_old'
  /** The receiver has said that it wants nothing any more. */
  | 'relay_gone'
  /** The receiver has taken nothing for too long. */
  | 'relay_failing'
  /** The role may not read a table, or a rule cannot be computed of a row. */
  | 'relay_refused'
  /** A copy of the store was put back that lacks what was sent. */
  | 'history_replaced'

export type RelayStop = {
  readonly reason: RelayStopReason
  readonly message: string
  readonly at: Timestamp
}

export type RelayFailure = {
  readonly since: Timestamp
  readonly tries: number
  readonly message: string
  readonly nextTryAt: Timestamp
}

export type RelayRows = { readonly relay: AccessRelay; readonly progress: RelayProgress }

const RELAYS = new AccessRows('relay', isRelay)
const PROGRESS = new AccessRows('relay-progress', isProgress)

/** All relays, by name. */
export async function readRelays(
  transaction: Pick<AccessReads, 'scanBatches'>,
): Promise<RelayRows[]> {
  const progress = new Map((await PROGRESS.read(transaction)).map((one) => [one.name, one]))
  return (await RELAYS.read(transaction))
    .flatMap((relay) => {
      const own = progress.get(relay.name)
      return own === undefined ? [] : [{ relay, progress: own }]
    })
    .sort((a, b) => compareText(a.relay.name, b.relay.name))
}

/** Undefined where there is none of this name. */
export async function readRelay(
  transaction: Pick<AccessReads, 'getRow'>,
  name: string,
): Promise<RelayRows | undefined> {
  const relay = await RELAYS.readOne(transaction, name)
  const progress = await PROGRESS.readOne(transaction, name)
  return relay && progress && { relay, progress }
}

export type RelayState = 'sending' | 'failing' | 'paused' | 'stopped'

/** Pure. */
export function relayStateOf({ stopped, isPaused, failing }: RelayProgress): RelayState {
  if (stopped !== undefined) return 'stopped'
  if (isPaused) return 'paused'
  return failing === undefined ? 'sending' : 'failing'
}

/** Pure: how old what the receiver has is; 0 where nothing is left to send. */
export function relayLagMs(progress: RelayProgress, now: Timestamp): number {
  const isDone = progress.isIdle && relayStateOf(progress) === 'sending'
  return isDone ? 0 : Math.max(0, Math.floor((now - progress.position) / 1_000))
}

/** Throws StorageError `already_exists` and `limit_exceeded`. It sends what is committed from now on. */
export async function createRelay(
  transaction: AccessWrites,
  relay: AccessRelay,
  { position, history }: Pick<RelayProgress, 'position' | 'history'>,
): Promise<void> {
  transaction.requireRoom()
  const relays = await readRelays(transaction)
  if (relays.some((one) => one.relay.name === relay.name)) {
    const message = `There is a relay ${relay.name} already.`
    throw new StorageError('already_exists', message, { relay: relay.name })
  }
  if (relays.length >= STORAGE_LIMITS.relaysMax) {
    throw limitExceeded('relaysMax', relays.length + 1, 'There are too many relays.')
  }
  RELAYS.write(transaction, relay.name, relay)
  const { name } = relay
  const begun = { epoch: 1, isPaused: false, isIdle: false, sent: 0 }
  PROGRESS.write(transaction, name, { name, position, history, ...begun })
}

/** The relay as it is after the change. Throws StorageError `unknown_relay`. */
export async function changeRelay(
  transaction: AccessWrites,
  name: string,
  change: (relay: AccessRelay) => AccessRelay,
): Promise<AccessRelay> {
  transaction.requireRoom()
  const changed = change((await requireRelay(transaction, name)).relay)
  RELAYS.write(transaction, name, changed)
  return changed
}

/** Changes where or whether it sends; who sends now ends. Throws StorageError `unknown_relay`. */
export async function turnRelay(
  transaction: AccessWrites,
  name: string,
  change: (progress: RelayProgress) => RelayProgress,
): Promise<void> {
  transaction.requireRoom()
  const { progress } = await requireRelay(transaction, name)
  const { holder: _, ...changed } = change(progress)
  PROGRESS.write(transaction, name, { ...changed, epoch: progress.epoch + 1 })
}

/**
 * What a sender writes of what it has read in this transaction: it lets nobody do more or less, so nobody has to look
 * at the rights again. Only statements begin an epoch, or go back (L1).
 */
export function writeRelayProgress(
  transaction: Pick<AccessWrites, 'put'>,
  before: RelayProgress,
  progress: RelayProgress,
): void {
  const isAhead = progress.position >= before.position && progress.epoch === before.epoch
  invariant(isAhead, 'L1', { before, progress })
  const { within: was } = before
  const { within, position } = progress
  invariant(within?.kind !== 'commit' || position < within.at, 'L2', { progress })
  const isSamePart = was !== undefined && was.at === within?.at && was.part === within.part
  const keepsEnd = !isSamePart || was.end === undefined || was.end === within?.end
  invariant(keepsEnd, 'L3', { before, progress })
  PROGRESS.put(transaction, progress.name, progress)
}

/** Throws StorageError `unknown_relay`. */
export async function dropRelay(transaction: AccessWrites, name: string): Promise<void> {
  await requireRelay(transaction, name)
  RELAYS.delete(transaction, name)
  PROGRESS.delete(transaction, name)
}

/** Throws StorageError `unknown_relay`. */
async function requireRelay(
  transaction: Pick<AccessReads, 'getRow'>,
  name: string,
): Promise<RelayRows> {
  const found = await readRelay(transaction, name)
  if (found !== undefined) return found
  throw new StorageError('unknown_relay', `There is no relay ${name}.`, { relay: name })
}

function isRelay(json: unknown): json is AccessRelay {
  const { name, id, url, tables, secret, created } = (json ?? {}) as Partial<AccessRelay>
  const isText = [name, id, url, secret].every((text) => typeof text === 'string')
  return isText && Array.isArray(tables) && Number.isSafeInteger(created)
}

function isProgress(json: unknown): json is RelayProgress {
  const { name, position, history, epoch, sent } = (json ?? {}) as Partial<RelayProgress>
  const isText = [name, history].every((text) => typeof text === 'string')
  return isText && [position, epoch, sent].every((one) => Number.isSafeInteger(one))
}
