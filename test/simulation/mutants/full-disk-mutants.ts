// SPDX-License-Identifier: Apache-2.0
import { type Mutant, mutant } from './mutant.ts'

const ORACLE = 'storage/transactions/oracle/embedded-oracle.ts'
const LAST_STAMP = '        return { timestamp: this.#last, safePoint'

/** Of snapshots while the oracle's mark cannot be raised. */
export const FULL_DISK_MUTANTS: readonly Mutant[] = [
  mutant({
    name: 'readerTakesTheMark',
    what: 'on a full disk a reader takes a timestamp that others may still commit below',
    file: ORACLE,
    find: LAST_STAMP,
    replace: LAST_STAMP.replace('#last', '#mark'),
    caughtBy: { script: 'snapshotOnAFullDisk' },
  }),
  mutant({
    name: 'readerTakesAnOldStamp',
    what: 'on a full disk a reader takes a timestamp from before the last commit',
    file: ORACLE,
    find: LAST_STAMP,
    replace: LAST_STAMP.replace('#last', '#last - 1'),
    caughtBy: { script: 'snapshotOnAFullDisk' },
  }),
  mutant({
    name: 'lastStampMayWrite',
    what: 'a transaction writes by a timestamp that is not its own',
    file: 'storage/transactions/transaction.ts',
    find: '    if (this.#writeRefusal !== undefined && !isGuard) throw this.#writeRefusal\n',
    replace: '',
    caughtBy: { script: 'snapshotOnAFullDisk' },
  }),
]
