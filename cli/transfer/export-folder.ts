// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { UsageError } from '../../server/usage-error.ts'
import { type ExportedFile, MANIFEST_FILE, type Manifest } from './manifest.ts'

const SCHEMA_FILE = 'schema.sql'

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

  /** Writes what comes, with its name at the end; `onBytes` is told how many bytes more the file has. */
  async writeRows(
    name: string,
    rows: AsyncIterable<Buffer>,
    {
      signal,
      onBytes,
    }: { readonly signal: AbortSignal; readonly onBytes: (bytes: number) => void },
  ): Promise<ExportedFile> {
    return await this.#write(this.#isZipped ? `${name}.gz` : name, async (path, seen) => {
      const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
      async function* counted(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          seen(chunk)
          onBytes(chunk.length)
          yield chunk
        }
      }
      await (this.#isZipped
        ? pipeline(rows, createGzip(), counted, file, { signal })
        : pipeline(rows, counted, file, { signal }))
    })
  }

  async writeSchema(statements: readonly string[]): Promise<ExportedFile> {
    const text = statements.map((statement) => `${statement};\n`).join('\n')
    return await this.#writeText(SCHEMA_FILE, text)
  }

  async writeManifest(manifest: Manifest): Promise<void> {
    await this.#writeText(MANIFEST_FILE, `${JSON.stringify(manifest, null, 2)}\n`)
  }

  async #writeText(name: string, text: string): Promise<ExportedFile> {
    return await this.#write(name, async (path, seen) => {
      const bytes = Buffer.from(text)
      seen(bytes)
      const file = await open(path, 'wx', 0o600)
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
    })
  }

  async #write(
    file: string,
    write: (path: string, seen: (chunk: Buffer) => void) => Promise<void>,
  ): Promise<ExportedFile> {
    const hash = createHash('sha256')
    let bytes = 0
    const path = join(this.#path, file)
    await write(`${path}.partial`, (chunk) => {
      hash.update(chunk)
      bytes += chunk.length
    })
    await rename(`${path}.partial`, path)
    return { file, bytes, sha256: hash.digest('hex') }
  }
}

/** `account.ndjson`; a table whose name is no plain word is a number. */
export function fileNameOf(table: string, number: number, format: string): string {
  // Small letters only: some systems take Account and account for one file.
  return `${/^[a-z][a-z0-9_]{0,63}$/.test(table) ? table : `table-${number}`}.${format}`
}
