// SPDX-License-Identifier: Apache-2.0
import { StorageError } from '../../errors.ts'
import { MarkFile } from './mark-file.ts'

/** Of a folder whose store follows another: it stands there before the store does, until that is promoted. */
export type StandbyMark = {
  /** The address of who takes the writes. */
  readonly primary: string
  /**
   * The history of that one, in a folder whose store was a primary until it was replaced: it may have commits that no
   * other has, so nobody reads it before it is copied again.
   */
  readonly replacedBy?: string | undefined
}

export const STANDBY_MARK = new MarkFile<StandbyMark>(
  'standby.json',
  ({ primary, replacedBy }) => ({
    primary: String(primary),
    ...(replacedBy === undefined ? {} : { replacedBy: String(replacedBy) }),
  }),
)

/** Throws StorageError `data_directory_unusable` for a folder that follows another. */
export function requireNoStandby(dataDirectory: string): void {
  const mark = STANDBY_MARK.read(dataDirectory)
  if (mark === undefined) return
  const { primary, replacedBy } = mark
  const is = replacedBy === undefined ? 'is a standby of' : 'was replaced by'
  throw new StorageError(
    'data_directory_unusable',
    `The store in ${dataDirectory} ${is} ${primary} and takes no writes. Let it follow with percolite serve --follow ${primary}; or, where that server is lost for good, make it a primary with percolite promote --data ${dataDirectory}.`,
    { primary },
  )
}
