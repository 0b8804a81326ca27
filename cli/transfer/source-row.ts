// SPDX-License-Identifier: Apache-2.0

/** Where something begins in a text, which in a file that is compressed is the one that comes out of it. */
export type SourcePlace = {
  /** From 1. */
  readonly line: number
  /** From 0. */
  readonly byte: number
}

/** A row of a file as the JSON object that a server takes. */
export type GoodRow = SourcePlace & { readonly json: string }

/** What stands in a file for a row, and is none. */
export type BadRow = {
  readonly line: number
  readonly json?: undefined
  readonly problem: RowProblem
  /** As it stands in the file, as JSON. */
  readonly row: string
}

export type RowProblem = { readonly code: string; readonly detail: string }

export type SourceRow = GoodRow | BadRow

/** A text that is no row. */
export function badRow(line: number, detail: string, shown: unknown): BadRow {
  return { line, problem: { code: 'invalid_row', detail }, row: JSON.stringify(shown) }
}

/** What is no text of rows from a place on. */
export class SourceBroken extends Error {
  readonly place: SourcePlace

  constructor(message: string, place: SourcePlace) {
    super(message)
    this.place = place
  }
}

/** What a source rejects with: where it cannot be read on, with the place of the first row that it has not given. */
export function brokenAt(place: SourcePlace, error: unknown): SourceBroken {
  return error instanceof SourceBroken ? error : new SourceBroken((error as Error).message, place)
}

/** Rows that go into one transaction. */
export type Batch = readonly GoodRow[]

const BATCH_BYTES = 1024 * 1024

/**
 * Rows in their order, as batches of so many rows or 1 MiB; a row of more is a batch of its own. The same file makes
 * the same batches. What is no row comes alone, before the batch that it stands in. Where the source breaks off, what
 * was read before comes first.
 */
export async function* batchesOf(
  sources: AsyncIterable<readonly SourceRow[]>,
  batchRows: number,
): AsyncGenerator<Batch | BadRow, void, undefined> {
  let batch: GoodRow[] = []
  let bytes = 0
  let broken: { readonly error: unknown } | undefined
  try {
    for await (const rows of sources) {
      for (const row of rows) {
        if (row.json === undefined) {
          yield row
          continue
        }
        const rowBytes = Buffer.byteLength(row.json) + 1
        if (batch.length === batchRows || (batch.length > 0 && bytes + rowBytes > BATCH_BYTES)) {
          yield batch
          batch = []
          bytes = 0
        }
        batch.push(row)
        bytes += rowBytes
      }
    }
  } catch (error) {
    broken = { error }
  }
  if (batch.length > 0) yield batch
  if (broken !== undefined) throw broken.error
}
