// SPDX-License-Identifier: Apache-2.0
import type { TestContext } from 'node:test'
import { openStorage, type Storage, type StorageError } from '../../storage/storage.ts'
import { EmbeddedOracle } from '../../storage/transactions/oracle/embedded-oracle.ts'

export type RefusingStore = {
  readonly storage: Storage
  /** From the next snapshot on, no transaction may write; undefined lets them again. */
  refuseWrites(refusal: StorageError | undefined): void
}

/** A store in memory whose oracle gives out stamps by which nothing may be written, as that of a standby does. */
export async function refusingStore(t: TestContext): Promise<RefusingStore> {
  let refusal: StorageError | undefined
  const { takeToRead } = EmbeddedOracle.prototype
  t.mock.method(EmbeddedOracle.prototype, 'takeToRead', function (this: EmbeddedOracle) {
    const stamp = takeToRead.call(this)
    return stamp === undefined || refusal === undefined
      ? stamp
      : { ...stamp, writeRefusal: refusal }
  })
  const storage = await openStorage({ engine: 'memory' })
  return {
    storage,
    refuseWrites(next) {
      refusal = next
    },
  }
}
