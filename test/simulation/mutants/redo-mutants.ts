// SPDX-License-Identifier: Apache-2.0
import { type Mutant, mutant } from './mutant.ts'

const REDO = 'storage/cells/sqlite/redo/redo.ts'
const REDO_LOG = 'storage/cells/sqlite/redo/redo-log.ts'
const FLUSHER = 'storage/cells/sqlite/redo/flusher.ts'

const RUNS = { topology: 'embedded', commit: 'one-phase' } as const

/** Of the redo log and its memtables: R1 to R4. */
export const REDO_MUTANTS: readonly Mutant[] = [
  mutant({
    name: 'recordNotSynced',
    what: 'R1: a record of the redo log is answered before it is synced',
    file: REDO_LOG,
    find: '{ isSynced: true, ...numbered }',
    replace: '{ isSynced: false, ...numbered }',
    caughtBy: { seedsMax: 20, ...RUNS },
  }),
  mutant({
    name: 'memtableAfterAnswer',
    what: 'R2: what was answered comes into the memtable some turns later',
    file: REDO,
    find: '      mutable.add(record, this.#clock.monotonicMs()) // R2: before any batch is answered.\n',
    replace:
      '      const later = { ...record, packed: new Uint8Array(record.packed) }\n' +
      '      void this.#clock.sleep(5).then(() => mutable.add(later))\n',
    caughtBy: { seedsMax: 20, ...RUNS },
  }),
  mutant({
    name: 'flushedWithRecordsInFlight',
    what: 'R2: a memtable is flushed while a record of it is on its way to the disk',
    file: FLUSHER,
    find: 'return this.#memtables.immutable?.recordsInFlight === 0 &&',
    replace: 'return this.#memtables.immutable !== undefined &&',
    more: [
      {
        file: FLUSHER,
        find: "    invariant(recordsInFlight === 0, 'R2', { recordsInFlight })\n",
        replace: '    void recordsInFlight\n',
      },
    ],
    caughtBy: { seedsMax: 50, ...RUNS },
  }),
  mutant({
    name: 'droppedFromAnOldSnapshot',
    what: 'R2: a memtable is dropped while the view reads a snapshot from before its flush',
    file: FLUSHER,
    find: '      this.#deps.beforeDrop()\n',
    replace: '',
    caughtBy: { seedsMax: 100, ...RUNS },
  }),
  mutant({
    name: 'recordsDeletedFirst',
    what: 'R3: records are deleted with the first of their cells that are flushed',
    file: REDO_LOG,
    find: '        if (next !== undefined) return\n',
    replace: '',
    caughtBy: { seedsMax: 20, ...RUNS },
  }),
  mutant({
    name: 'changedPastTheLog',
    what: 'R4: a batch that is not plain changes rows that a memtable has',
    file: REDO,
    find: '    if (this.#memtables.isEmpty) return false\n',
    replace: '    if (batch) return false\n',
    caughtBy: { seedsMax: 100, ...RUNS },
  }),
]
