// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../cells/cell-store.ts'
import { readPlainRow, replacePlainRow } from '../../cells/plain-row.ts'
import { systemRowKey } from '../../cells/row-key.ts'
import { StorageError } from '../../errors.ts'

/**
 * What of the store's rows an earlier version does not know of, by name: a JSON array in one cell of the family `data`,
 * qualifier `0`. Whatever writes rows of a new kind adds its name first, so that a version without it refuses the
 * store, of any engine, in place of reading it wrongly.
 *
 *     00 "format/features"   ["epochs","retention"]
 */
export const FEATURES_ROW = systemRowKey('format/features')
export const FEATURES_BYTES_MIN = 2

/** The names that this version knows; `docs/upgrade.md` lists which version writes which. */
const FEATURES = ['epochs', 'decimal', 'retention', 'token-life'] as const
export type Feature = (typeof FEATURES)[number]

/** Rejects with StorageError `data_directory_unusable` where the store has what this version does not know. */
export async function requireKnownFeatures(cellStore: CellStore): Promise<void> {
  const known: readonly string[] = FEATURES
  const unknown = namesIn(await readPlainRow(cellStore, FEATURES_ROW)).find(
    (name) => !known.includes(name),
  )
  if (unknown === undefined) return
  throw new StorageError(
    'data_directory_unusable',
    `The store has ${JSON.stringify(unknown.slice(0, 100))} (format/features), which this version does not know: ` +
      'open it with the version that wrote it, or a later one.',
  )
}

/** Adds a name unless it is there. Rejects with CellStoreError. */
export async function addFeature(cellStore: CellStore, name: Feature): Promise<void> {
  for (;;) {
    const found = await readPlainRow(cellStore, FEATURES_ROW)
    const names = namesIn(found)
    if (names.includes(name)) return
    const value = Buffer.from(JSON.stringify([...names, name]))
    if (await replacePlainRow(cellStore, FEATURES_ROW, found, value)) return
  }
}

/** What cannot be read is one name, which nobody knows. */
function namesIn(value: Uint8Array | undefined): readonly string[] {
  if (value === undefined) return []
  const text = Buffer.from(value).toString()
  try {
    const names: unknown = JSON.parse(text)
    if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names
  } catch {}
  return [text]
}
