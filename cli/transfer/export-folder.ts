// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { UsageError } from '../../server/usage-error.ts'
import { type ExportedFile, MANIFEST_FILE, type Manifest } from './manifest.ts'

const SCHEMA_FILE = 'schema.sql'
const RELAYS_FILE = 'relays.sql'

/** The folder of an export that is being made. A file is `.partial` until all of it is on the disk. */
export class ExportFolder {
  readonly #path: string
  readonly #isZipped: boolean

  private constructor(path: string, isZipped: boolean) {
    this.#path = path
    this.#isZipped = isZipped
  }

  /** Throws UsageError for a folder that has anything in it. */
  static async make(
    path: string,
    { isZipped }: { readonly isZipped: boolean },
  ): Promise<ExportFolder> {
    await mkdir(path, { recursive: true, mode: 0o700 })
    if ((await readdir(path)).length > 0) {
      throw new UsageError(
        `--out ${path} is not empty: give a new folder, or take away what is in it.`,
      )
    }
    return new ExportFolder(path, isZipped)
  }

  /** Writes what comes as a file of this name, or of this name with `.gz`. */
  async writeRows(
    name: string,
    rows: AsyncIterable<Buffer>,
    told: Omit<RowsFile, 'isZipped'>,
  ): Promise<ExportedFile> {
    const file = this.#isZipped ? `${name}.gz` : name
    const options = { ...told, isZipped: this.#isZipped }
    return { file, ...(await writeRowsFile(join(this.#path, file), rows, options)) }
  }

  async writeSchema(statements: readonly string[]): Promise<ExportedFile> {
    const text = statements.map((statement) => `${statement};\n`).join('\n')
    return await this.#writeText(SCHEMA_FILE, text)
  }

  /** Statements that are run by whoever wants them: an import sends nothing to anybody by itself. */
  async writeRelays(statements: readonly string[]): Promise<void> {
    await this.#writeText(RELAYS_FILE, statements.map((statement) => `${statement};\n`).join(''))
  }

  async writeManifest(manifest: Manifest): Promise<void> {
    await this.#writeText(MANIFEST_FILE, `${JSON.stringify(manifest, null, 2)}\n`)
  }

  async #writeText(file: string, text: string): Promise<ExportedFile> {
    const written = await writeWhole(join(this.#path, file), async (path, seen) => {
      const bytes = Buffer.from(text)
      seen(bytes)
      await writeFile(path, bytes, { flag: 'wx', mode: 0o600, flush: true })
    })
    return { file, ...written }
  }
}

type RowsFile = {
  readonly isZipped: boolean
  readonly signal: AbortSignal
  /** Told how many bytes more the file has. */
  readonly onBytes: (bytes: number) => void
}

type WrittenFile = Omit<ExportedFile, 'file'>

/** Writes what comes into a file, which is `.partial` until all of it is on the disk. One that is there is replaced. */
export async function writeRowsFile(
  target: string,
  rows: AsyncIterable<Buffer>,
  { isZipped, signal, onBytes }: RowsFile,
): Promise<WrittenFile> {
  return await writeWhole(target, async (path, seen) => {
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
    async function* counted(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        seen(chunk)
        onBytes(chunk.length)
        yield chunk
      }
    }
    await (isZipped
      ? pipeline(rows, createGzip(), counted, file, { signal })
      : pipeline(rows, counted, file, { signal }))
  })
}

async function writeWhole(
  path: string,
  write: (path: string, seen: (chunk: Buffer) => void) => Promise<void>,
): Promise<WrittenFile> {
  const hash = createHash('sha256')
  let bytes = 0
  await write(`${path}.partial`, (chunk) => {
    hash.update(chunk)
    bytes += chunk.length
  })
  await rename(`${path}.partial`, path)
  return { bytes, sha256: hash.digest('hex') }
}

/** `account.ndjson`; a table whose name is no plain word is a number. */
export function fileNameOf(table: string, number: number, format: string): string {
  // Small letters only: some systems take Account and account for one file.
  return `${/^[a-z][a-z0-9_]{0,63}$/.test(table) ? table : `table-${number}`}.${format}`
}
