// SPDX-License-Identifier: Apache-2.0
import { CellStoreError } from '../../cells/cell-store.ts'
import { findFileProblems } from '../../cells/sqlite/file/integrity.ts'
import { openSqliteCellStore } from '../../cells/sqlite/sqlite-cell-store.ts'
import { createCatalog } from '../../tables/catalog/catalog.ts'
import { type ConsistencyCheckOptions, findInconsistencies } from './consistency-check.ts'
import { ConsistencyFindings, type ConsistencyReport } from './consistency-report.ts'

export type DataDirectoryCheckOptions = ConsistencyCheckOptions & {
  /** In place of a look at the file in this thread. */
  readonly fileProblems?: (dataDirectory: string) => Promise<string[]>
}

/**
 * Checks a data directory that no server uses: the file as SQLite knows it, then every cell. Nothing
 * is repaired or cleaned up; only SQLite's log is moved into its file, as at every start.
 *
 * Rejects with StorageError `data_directory_locked` or `data_directory_unusable`.
 */
export async function checkDataDirectory(
  dataDirectory: string,
  options: DataDirectoryCheckOptions = {},
): Promise<ConsistencyReport> {
  const findings = new ConsistencyFindings()
  const found = (message: string) => findings.add({ rule: 'file', message })
  const { fileProblems = findFileProblems } = options
  const problems = await fileProblems(dataDirectory)
  for (const problem of problems) found(problem)
  try {
    const cellStore = await openSqliteCellStore({ dataDirectory })
    try {
      const catalog = await findInconsistencies(cellStore, findings, options)
      return findings.report(catalog)
    } finally {
      await cellStore.close()
    }
  } catch (error) {
    // What a damaged file still lets us see has been checked; that it is damaged has been said.
    const isOfFile = error instanceof CellStoreError || problems.length > 0
    options.signal?.throwIfAborted()
    if (!isOfFile) throw error
    const { message, cause } = error as Error
    found(`The rest could not be read: ${cause instanceof Error ? cause.message : message}.`)
    return findings.report(createCatalog(null, []))
  }
}
