// SPDX-License-Identifier: Apache-2.0
import { after, before, describe } from 'node:test'
import { openEmulatedStore } from '../../bench/engines/emulated-store.ts'
import { EMULATORS, type Emulator, skipReason } from '../../bench/engines/emulator.ts'
import { describeCellStore } from '../../test/cell-store/cell-store-conformance.ts'

for (const kind of EMULATORS) {
  describe(`Bigtable, ${kind.name}`, { skip: skipReason(kind) }, () => {
    let emulator: Emulator
    before(async () => {
      emulator = await kind.start()
    })
    after(() => emulator.close())

    describeCellStore(kind.name, async () => {
      const store = await openEmulatedStore(emulator)
      return { store, dispose: () => store.close(), leavesHalfAnIncrement: true }
    })
  })
}
