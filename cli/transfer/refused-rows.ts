// SPDX-License-Identifier: Apache-2.0
import { type FileHandle, open } from 'node:fs/promises'
import type { PercoliteError } from '../../client-sdk/client.ts'
import { UsageError } from '../../server/usage-error.ts'
import type { Output } from '../command.ts'
import type { BadRow, GoodRow } from './source-row.ts'

/** Without a file, so many are told on standard error. */
const TOLD_MAX = 20

/** The rows that are not imported, up to a number that ends the import. */
export class RefusedRows {
  count = 0

  readonly #errors: Output
  readonly #file: FileHandle | undefined
  readonly #most: number
  #written: Promise<unknown> = Promise.resolve()

  private constructor(errors: Output, file: FileHandle | undefined, most: number) {
    this.#errors = errors
    this.#file = file
    this.#most = most
  }

  /** Throws UsageError where the file cannot be written; one that is there is written anew. */
  static async open(
    errors: Output,
    { path, most }: { readonly path: string | undefined; readonly most: number },
  ): Promise<RefusedRows> {
    if (path === undefined) return new RefusedRows(errors, undefined, most)
    const file = await open(path, 'w', 0o600).catch((error: Error) => {
      throw new UsageError(`--errors ${path}: ${error.message}`)
    })
    return new RefusedRows(errors, file, most)
  }

  get areTooMany(): boolean {
    return this.count > this.#most
  }

  addBad({ line, problem, row }: BadRow): void {
    this.#add(line, problem, row)
  }

  addRefused({ line, json }: GoodRow, { code, message, fields }: PercoliteError): void {
    // The place in the batch says nothing about the file.
    const { row: _row, ...facts } = fields
    this.#add(line, { code, detail: message, ...facts }, json.trim())
  }

  /** Resolves when all of them are in the file. */
  async close(): Promise<void> {
    await this.#written
    await this.#file?.close()
  }

  #add(line: number, error: { readonly code: string; readonly detail: string }, row: string): void {
    this.count += 1
    if (this.#file === undefined) {
      if (this.count > TOLD_MAX) return
      const more = this.count === TOLD_MAX ? ' (no more are told; --errors FILE takes all)' : ''
      this.#errors.write(`line ${line}: ${error.code}: ${error.detail}${more}\n`)
      return
    }
    const file = this.#file
    const text = `{"line":${line},"error":${JSON.stringify(error)},"row":${row}}\n`
    this.#written = this.#written.then(() => file.write(text))
  }
}
