// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto'
import { openBigtableCellStore } from '../../engines/bigtable/bigtable-engine.ts'
import type { Emulator } from './emulator.ts'

/** A table of its own in the emulator, or one that is named. */
export async function openEmulatedStore(
  { host, timestampMax }: Emulator,
  table: string = `t-${randomUUID()}`,
): ReturnType<typeof openBigtableCellStore> {
  return await openBigtableCellStore({
    ...{ project: 'project', instance: 'instance', table, profile: '' },
    ...{ createTable: 'auto', emulatorHost: host },
    ...(timestampMax === undefined ? {} : { timestampMax }),
  })
}
