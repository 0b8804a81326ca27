// SPDX-License-Identifier: Apache-2.0

import type { Topology } from './swarm.ts'

/** What both topologies must show. */
const ANYWHERE = [
  'write skew committed',
  'schema_changed at a commit',
  'commit acknowledged',
  'commit conflicted',
  'commit outcome unknown, in truth committed',
  'commit outcome unknown, in truth rolled back',
  'client lost by a crash, in truth committed',
  'client lost by a crash, in truth rolled back',
  'outcome asked: active',
  'outcome asked: committed',
  'outcome asked: rolledBack',
  'outcome asked: unknown',
  'long value read',
  'snapshot of the past read',
  'snapshot_too_old at a commit',
  'snapshot_too_old at a read',
  'garbage collected',
  'versions collected',
  'rollback record collected',
  'guard collected',
  'unique value refused',
  'index created',
  'index built: ready',
  'index built: failed',
  'index dropped while it was built',
  'index compared with its rows by a client',
  'column added',
  'column dropped',
  'observer created',
  'observer paused',
  'observer resumed',
  'observer replayed',
  'run of an observer: pending',
  'run of an observer: alreadyObserved',
  'several changes seen by one run',
  'change observed again after a replay',
  'all seats moved by one statement',
  'SET of many rows refused for a unique value',
  'rows counted by an upsert',
  'rows of statements compared by a client',
  'row refused by a CHECK of its table',
  'CHECK added while rows are written',
  'CHECK taken back for a row',
  'block of numbers taken',
  'block of numbers never used',
  'row with a number of its table',
  'numbers of a table restarted',
  'commit told live',
  'commit told from the log',
  'commit read from the log',
  'feed cut off by a crash',
  'feed position too old',
]

/**
 * Things that must happen now and then over many runs, or the runs prove nothing about them
 * ("sometimes" assertions). The list is what a campaign of runs must have seen at least once.
 */
export const SOMETIMES: Readonly<Record<Topology, readonly string[]>> = {
  gateways: [
    ...ANYWHERE,
    'guard refused a prewrite',
    'reader rolled a stranger forward',
    'sweeper rolled a stranger forward',
    'reader rolled a stranger back',
    'sweeper rolled a stranger back',
    'rollback record written for a primary that was seen locked',
    'rollback record written for a primary that was seen unlocked',
    'rollback record refused a late prewrite',
    'late prewrite met its own commit',
    'own lock found after a lost answer',
    'commit repeated and already applied',
    'living transaction rolled back by a stranger',
    'heartbeat found its lock gone',
    'heartbeat renewed a lock',
    'read waited too long for a lock',
    'scan met a row that had only a lock',
  ],
  embedded: [
    ...ANYWHERE,
    'start with --commit one-phase',
    'start with --commit two-phase',
    'start with --commit auto',
    'stopped in order',
    'one-phase write',
    'two-phase write',
    'commit waited for a latch',
    'reader waited for a latch',
    'scan dropped a chunk',
    'large commit committed',
    'large commit refused by a latch',
    'large commit refused by a version',
    'large commit met by a scan',
    'conflict with a version',
    'conflict with a transaction under way',
    'group of several jobs',
    'notes of several commits in a cell',
    'group failed before COMMIT',
    'one job of a group failed',
    'commit refused by the disk',
    'COMMIT failed, and the group is there',
    'COMMIT failed, and the group is gone',
    'died before the sync ended, and the group is there',
    'died before the sync ended, and the group is gone',
    'two-phase rolled forward after a restart',
    'two-phase rolled back after a restart',
    'record of the redo log',
    'part of a memtable flushed',
    'memtable flushed',
    'batch waited for a flush',
    'redo log recovered',
  ],
}

export class Counters {
  readonly #counts = new Map<string, number>()

  count(what: string, by = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + by)
  }

  add(other: Readonly<Record<string, number>>): void {
    for (const [what, count] of Object.entries(other)) this.count(what, count)
  }

  get(what: string): number {
    return this.#counts.get(what) ?? 0
  }

  /** In the order of their names. */
  all(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}
