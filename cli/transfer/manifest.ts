// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path'
import { UsageError } from '../../server/usage-error.ts'
import { hashOfFile, openRegular, readRegular } from '../../storage/operations/operations.ts'

/** It has the definitions of all tables. */
const BYTES_MAX = 64 * 2 ** 20

export const MANIFEST_FILE = 'manifest.json'

/** A file of an export, as it lies there. */
export type ExportedFile = {
  readonly file: string
  readonly bytes: number
  /** In hexadecimal digits. */
  readonly sha256: string
}

export type ExportedTable = ExportedFile & {
  readonly table: string
  readonly rows: number
  /** What makes the table, then its indexes, then its observers, then their schedules. */
  readonly statements: readonly string[]
}

/** What an export is. It is written last: a folder without it is no export. */
export type Manifest = {
  readonly format: 1
  /** The version of the program that made it. */
  readonly percolite: string
  /** The one moment that all rows are of, in microseconds since 1970. */
  readonly readTimestamp: number
  readonly rowFormat: 'ndjson' | 'csv'
  readonly where?: string
  readonly schema: ExportedFile
  readonly tables: readonly ExportedTable[]
}

/** The manifest of a folder. Throws UsageError where there is none, or one of another form. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST_FILE)
  const text = await readRegular(path, BYTES_MAX).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT'
      ? new UsageError(`${folder} is no export: it has no ${MANIFEST_FILE}, which is written last.`)
      : error
  })
  const manifest = parsed(text)
  if (isManifest(manifest)) return manifest
  throw new UsageError(`${path} is not a manifest of the format 1.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isManifest(value: unknown): value is Manifest {
  const { format, rowFormat, schema, tables } = (value ?? {}) as Partial<Manifest>
  if (format !== 1 || (rowFormat !== 'ndjson' && rowFormat !== 'csv')) return false
  return isFile(schema) && Array.isArray(tables) && tables.every(isTable)
}

function isTable(value: unknown): value is ExportedTable {
  const { table, rows, statements } = (value ?? {}) as Partial<ExportedTable>
  const isText = (each: unknown) => typeof each === 'string'
  if (!isFile(value) || !isText(table) || !Number.isSafeInteger(rows)) return false
  return Array.isArray(statements) && statements.every(isText)
}

/** A name of a file that is in the folder itself: a manifest may come from anybody. */
function isFile(value: unknown): value is ExportedFile {
  const { file, bytes, sha256 } = (value ?? {}) as Partial<ExportedFile>
  if (typeof file !== 'string' || !/^[\w-][\w.-]*$/.test(file)) return false
  return Number.isSafeInteger(bytes) && typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256)
}

/** Throws an error where a file of the export is not as it was written. */
export async function requireAsWritten(
  folder: string,
  { file, bytes, sha256 }: ExportedFile,
  signal: AbortSignal,
): Promise<void> {
  // A folder may come from anybody, and a device or a pipe in it may never end.
  await (await openRegular(join(folder, file))).close()
  const found = await hashOfFile(join(folder, file), signal)
  if (found.bytes === bytes && found.sha256 === sha256) return
  throw new Error(
    `${join(folder, file)} is not as it was written: it has ${found.bytes} bytes with the SHA-256 ` +
      `${found.sha256}, and the manifest says ${bytes} bytes with ${sha256}. Nothing was imported.`,
  )
}
