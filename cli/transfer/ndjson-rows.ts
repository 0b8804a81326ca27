// SPDX-License-Identifier: Apache-2.0
import { byteLines } from './byte-lines.ts'
import { badRow, brokenAt, type SourcePlace, type SourceRow } from './source-row.ts'

/** Each line that is not blank is a row, as a JSON object. A byte order mark is dropped. Rejects with SourceBroken. */
export async function* ndjsonRows(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<SourceRow[], void, undefined> {
  let number = 0
  let byte = 0
  try {
    for await (const lines of byteLines(chunks)) {
      const rows: SourceRow[] = []
      for (const line of lines) {
        number += 1
        const row = rowOf({ line: number, byte }, line)
        byte += (typeof line === 'number' ? line : line.length) + 1
        if (row !== undefined) rows.push(row)
      }
      yield rows
    }
  } catch (error) {
    throw brokenAt({ line: number + 1, byte }, error)
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function rowOf(place: SourcePlace, line: Buffer | number): SourceRow | undefined {
  const { line: number } = place
  if (typeof line === 'number') return badRow(number, 'The line is longer than 64 MiB.', null)
  let json: string
  try {
    json = UTF8.decode(line)
  } catch {
    return badRow(number, 'The line is not UTF-8.', line.toString('latin1'))
  }
  if (number === 1 && json.startsWith('\ufeff')) json = json.slice(1)
  if (json.trim() === '') return undefined
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { ...place, json }
    }
    return badRow(number, 'The line is JSON and no object.', json)
  } catch (error) {
    return badRow(number, `The line is not JSON: ${(error as Error).message}.`, json)
  }
}
