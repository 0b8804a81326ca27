// SPDX-License-Identifier: Apache-2.0

/**
 * How many groups a store has made durable: `number` counts them, one stream of numbers after the other. A process
 * begins a stream with its first group, so two stores that were one once have no stream in common from then on.
 */
export type StreamPosition = { readonly stream: string; readonly number: number }

/** Groups that follow each other, and the position of the last: that of the reader where there are none. */
export type GroupFrame = { readonly groups: readonly Buffer[]; readonly position: StreamPosition }

/** Of the encoding of a group: raised with each change of it, so that nobody reads one of another version wrongly. */
export const GROUP_FORMAT = 1

/** What is kept of the groups. */
export type KeptGroups = { readonly first: number; readonly last: number; readonly bytes: number }

/** Whether a group is answered only when a standby has it as well: not, if one is there, or always. */
export type SecondCopyMode = 'none' | 'preferred' | 'required'

export type SecondCopyState = {
  readonly mode: SecondCopyMode
  /** Whether a standby asks, or did so a moment ago. */
  readonly isConnected: boolean
  /** Whether a second copy is required and no standby takes it: what is written now is refused. */
  readonly isLacking: boolean
  /** Whether groups are answered without a second copy although one is preferred. */
  readonly isAlone: boolean
  /** The last group up to which a standby has everything. */
  readonly copied: number
}

/** The groups that a store makes durable, for stores that follow it, and a store that follows another. */
export interface StoreReplication {
  /** Of the last durable group; undefined while nothing is numbered. */
  readonly position: StreamPosition | undefined

  /** Undefined while nothing is kept. */
  readonly kept: KeptGroups | undefined

  /** From now on groups are numbered and kept: a copy that is made later has a position. */
  begin(): Promise<void>

  /**
   * What follows a position now, as many groups as fit, at least one; none where there are none. Rejects with
   * StorageError `replication_position_lost` where they are not kept, or the position is of another store.
   */
  read(
    after: StreamPosition,
    options: { readonly bytesMax: number; readonly signal: AbortSignal },
  ): Promise<GroupFrame>

  /** From now on groups wait for a standby in this way. `begin` has been called before. */
  demand(mode: SecondCopyMode): void

  readonly secondCopy: SecondCopyState

  /** To be called when a standby asks, and the result when it is answered, or is gone. */
  asks(): (wasAnswered: boolean) => void

  /** A standby has everything up to here, durably. Throws StorageError `replication_position_lost`, as `read`. */
  heard(position: StreamPosition): void

  /** Resolves when a standby has everything up to this group, or it is not waited for. */
  copied(number: number): Promise<void>

  /** Resolves when there is a durable group after this number. Rejects with the signal's reason. */
  grownBeyond(number: number, signal: AbortSignal): Promise<void>

  /**
   * Applies groups of another store, all of them durably or none; resolves to the keys of the rows that they may have
   * changed. Nothing else may write. Rejects with CellStoreError `invalid` where they do not follow what is there.
   */
  replay(groups: Buffer): Promise<readonly Uint8Array[]>
}
