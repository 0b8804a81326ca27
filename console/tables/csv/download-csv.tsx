// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from 'preact/hooks'
import { useConsole } from '../../page/console-context.ts'
import { bytesText } from '../../page/stamp-text.ts'
import { type RowsWanted, rowsPath } from '../use-rows.ts'

/** A page keeps a download until it is whole; larger ones go by `percolite export`. */
const BYTES_MAX = 256_000_000

/** All rows that are wanted, not only those that are shown, as they were at that moment. */
export function DownloadCsv({
  wanted,
  readTimestamp,
  onError,
}: {
  readonly wanted: RowsWanted
  readonly readTimestamp: number | undefined
  readonly onError: (error: unknown) => void
}) {
  const { db } = useConsole()
  const [bytes, setBytes] = useState<number>()
  const ending = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => ending.current?.abort(), [])
  const download = async () => {
    const own = new AbortController()
    ending.current = own
    onError(undefined)
    setBytes(0)
    try {
      const path = rowsPath(wanted, { format: 'csv', asOf: String(readTimestamp) })
      const answer = await db.open('GET', path, undefined, { signal: own.signal })
      save(await whole(answer, setBytes), `${wanted.table}.csv`)
    } catch (error) {
      if (!own.signal.aborted) onError(error)
    } finally {
      setBytes(undefined)
    }
  }
  if (bytes !== undefined) {
    return (
      <button type="button" onClick={() => ending.current?.abort()}>
        Stop the export, {bytesText(bytes)}
      </button>
    )
  }
  return (
    <button type="button" disabled={readTimestamp === undefined} onClick={download}>
      Export CSV
    </button>
  )
}

/** Rejects where the response breaks off, and where it is too large for a page. */
async function whole(answer: Response, onBytes: (bytes: number) => void): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  const reader = (answer.body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    parts.push(read.value)
    bytes += read.value.length
    onBytes(bytes)
    if (bytes > BYTES_MAX) {
      await reader.cancel().catch(() => undefined)
      throw new Error(`These rows are more than ${bytesText(BYTES_MAX)}: use percolite export.`)
    }
  }
  return new Blob(parts, { type: 'text/csv' })
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
