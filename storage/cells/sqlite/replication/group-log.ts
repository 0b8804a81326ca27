// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs'
import { type Clock, systemClock } from '../../../clock.ts'
import { replicationPositionLost, type StorageError } from '../../../errors.ts'
import { invariant } from '../../../invariant.ts'
import { type Randomness, systemRandomness } from '../../../randomness.ts'
import { type StorageLog, silentLog } from '../../../storage-log.ts'
import { unlessAborted } from '../../../unless-aborted.ts'
import type { GroupFrame, KeptGroups, StreamPosition } from '../../store-replication.ts'
import { STREAM_BYTES, type Stream } from '../groups/group-numbers.ts'
import { GroupFiles, type Kept } from './group-files.ts'
import type { GroupKind, GroupRecord } from './group-record.ts'
import { SecondCopy } from './second-copy.ts'

const KEPT_GROUPS: Kept = { bytesMax: 2 ** 30, msMax: 24 * 3600 * 1000 }

type Reading = {
  readonly bytesMax: number
  readonly signal: AbortSignal
}

/**
 * The groups of a store, as the main thread hands them to the one that writes, for those who follow. While nobody ever
 * followed, nothing is numbered, and nothing written twice.
 */
export class GroupLog {
  /** Who waits for a standby. */
  readonly secondCopy: SecondCopy
  /** Whether groups have numbers: nothing is to be done for them otherwise. */
  isNumbered = false
  readonly #folder: string
  readonly #bounds: Kept
  readonly #clock: Clock
  readonly #randomness: Randomness
  readonly #streams: Stream[]
  #files: GroupFiles | undefined
  /** The stream of this process, and the last number that was handed over in it. */
  #sent: StreamPosition | undefined
  #durable: StreamPosition | undefined
  #inFlight = 0
  /** When somebody read the groups last. */
  #readMs: number
  /** The writer thread has counted otherwise: until nothing is in flight, no number is known. */
  #isLost = false
  #grown = Promise.withResolvers<void>()

  constructor(
    folder: string,
    found: {
      readonly streams: readonly Stream[]
      readonly kept?: Kept
      readonly clock?: Clock
      readonly randomness?: Randomness
      readonly log?: StorageLog
    },
  ) {
    this.#folder = folder
    this.#bounds = found.kept ?? KEPT_GROUPS
    this.#clock = found.clock ?? systemClock
    this.#randomness = found.randomness ?? systemRandomness
    this.secondCopy = new SecondCopy(this.#clock, found.log ?? silentLog)
    this.#streams = [...found.streams]
    this.#readMs = this.#nowMs()
    const last = this.#streams.at(-1)
    if (last === undefined) return
    this.#durable = { stream: last.stream, number: last.last }
    this.isNumbered = true
    if (existsSync(folder)) this.#files = GroupFiles.open(folder, this.#durable, this.#bounds)
  }

  /** Of the last durable group; undefined while nothing is numbered. */
  get position(): StreamPosition | undefined {
    return this.#durable
  }

  get kept(): KeptGroups | undefined {
    if (this.#files === undefined || this.#durable === undefined) return undefined
    return { first: this.#files.first, last: this.#durable.number, bytes: this.#files.bytes }
  }

  /** Where the numbers begin, for the writer thread; undefined where they have begun. */
  beginning(): StreamPosition | undefined {
    return this.#durable === undefined ? { stream: this.#newStream(), number: 0 } : undefined
  }

  /** The writer thread numbers from here on, and the groups are kept. */
  begun(position: StreamPosition | undefined): void {
    if (position !== undefined) {
      this.#durable = position
      this.isNumbered = true
      this.#streams.push({ stream: position.stream, first: 1, last: 0 })
    }
    if (this.#durable === undefined) return
    this.#readMs = this.#nowMs()
    this.#files ??= GroupFiles.open(this.#folder, this.#durable, this.#bounds)
  }

  /** The number of a group that is sent to the writer thread now; undefined while nothing is numbered. */
  append(kind: GroupKind, parts: readonly Uint8Array[]): StreamPosition | undefined {
    if (this.#durable === undefined) return undefined
    this.#inFlight += 1
    // None that could be the next one.
    if (this.#isLost) return { stream: this.#newStream(), number: 0 }
    this.#sent ??= { stream: this.#newStream(), number: this.#durable.number }
    const { stream, number } = this.#sent
    this.#sent = { stream, number: number + 1 }
    this.#keep({ ...this.#sent, kind, parts })
    return this.#sent
  }

  /** The writer thread has carried out the group with this number, and says where it is. */
  carriedOut(sent: StreamPosition, found: StreamPosition | undefined): void {
    if (found === undefined) return
    this.#inFlight -= 1
    const isOwn = found.stream === sent.stream && found.number === sent.number
    if (isOwn && !this.#isLost) this.#raise(found)
    else this.#lose(found)
  }

  /** Groups of another store have been applied up to here. */
  followed(position: StreamPosition | undefined): void {
    if (position !== undefined) this.#raise(position)
  }

  /** A standby has everything up to here, durably. Throws `replication_position_lost`. */
  heard(position: StreamPosition): void {
    if (this.#durable === undefined || !this.#has(position)) throw this.#lost(position)
    this.secondCopy.has(position.number, this.#durable.number)
  }

  /** What follows a position, now; no groups where there are none. Rejects with `replication_position_lost`. */
  async read(after: StreamPosition, { bytesMax, signal }: Reading): Promise<GroupFrame> {
    signal.throwIfAborted()
    this.#readMs = this.#nowMs()
    const files = this.#files
    const last = this.#durable
    if (files === undefined || last === undefined || !this.#has(after)) throw this.#lost(after)
    if (after.number === last.number) return { groups: [], position: after }
    try {
      const groups = await files.read(after.number + 1, last.number, bytesMax)
      const newest = groups.at(-1) as Buffer
      const position = { stream: streamOf(newest), number: newest.readDoubleBE(8) }
      return { groups, position }
    } catch (error) {
      if (error instanceof RangeError) throw this.#lost(after)
      throw error
    }
  }

  /** Resolves when there is a durable group after this number. Rejects with the signal's reason. */
  async grownBeyond(number: number, signal: AbortSignal): Promise<void> {
    while ((this.#durable?.number ?? 0) <= number) await unlessAborted(signal, this.#grown.promise)
  }

  close(): void {
    this.secondCopy.stop()
    this.#files?.close()
  }

  #keep(record: GroupRecord): void {
    if (this.#files === undefined) return
    const nowMs = this.#nowMs()
    try {
      this.#files.append(record, nowMs)
    } catch {
      // Who follows copies the store again; a full disk is no reason to refuse a write.
      this.#files.clear(record.number)
    }
    if (nowMs - this.#readMs <= this.#bounds.msMax) return
    this.#files.clear(record.number)
    this.#files = undefined
  }

  #lost({ number }: StreamPosition): StorageError {
    return replicationPositionLost(number, this.#files?.first ?? 0)
  }

  #newStream(): string {
    return Buffer.from(this.#randomness.bytes(STREAM_BYTES)).toString('hex')
  }

  #nowMs(): number {
    return this.#clock.wallMicros() / 1_000
  }

  #raise(position: StreamPosition): void {
    const { stream, number } = position
    invariant(number >= (this.#durable?.number ?? 0), 'S2', { number, last: this.#durable?.number })
    this.#durable = position
    const at = this.#streams.findIndex((one) => one.stream === stream)
    const { first } = this.#streams[at] ?? { first: number }
    this.#streams.splice(at < 0 ? this.#streams.length : at, 1, { stream, first, last: number })
    this.#grown.resolve()
    this.#grown = Promise.withResolvers()
  }

  #lose(found: StreamPosition): void {
    this.#isLost = this.#inFlight > 0
    if (this.#isLost) return
    this.#sent = undefined
    this.#streams.splice(0)
    this.#files?.clear(found.number)
    this.#raise(found)
  }

  /** Whether it is a position that this store has had, and all after it is kept. */
  #has({ stream, number }: StreamPosition): boolean {
    const known = this.#streams.find((one) => one.stream === stream)
    if (known === undefined || number > known.last || number < known.first - 1) return false
    return number + 1 >= (this.#files?.first ?? Number.POSITIVE_INFINITY)
  }
}

function streamOf(record: Buffer): string {
  return record.toString('hex', 21, 21 + STREAM_BYTES)
}
