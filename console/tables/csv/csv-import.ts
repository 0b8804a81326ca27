// SPDX-License-Identifier: Apache-2.0
import { PercoliteError } from '../../../client-sdk/client.ts'
import type { ReadRow } from './csv-rows.ts'

/** Of one transaction. */
const BATCH_ROWS = 500
const BATCH_CHARACTERS = 256_000
/** Lines that are refused, until the import stops, and may go on. */
export const REFUSED_MAX = 100

export type Refused = { readonly line: number; readonly detail: string }

export type ImportState = {
  /** Records that are done with: written, left out by the server, or refused. */
  readonly done: number
  readonly written: number
  readonly skipped: number
  readonly refused: readonly Refused[]
}

export const NOTHING_DONE: ImportState = { done: 0, written: 0, skipped: 0, refused: [] }

type Row = Readonly<Record<string, unknown>>
type Sent = { readonly line: number; readonly row: Row }

export type ImportDependencies = {
  /** The records from one place on, read when they are wanted. */
  readonly rows: (from: number) => Iterable<ReadRow>
  /**
   * Writes all rows or none, in one transaction; called with the same key and rows again, it writes nothing twice.
   * Rejects with an error whose field `row` says which of them is refused, where it is one of them.
   */
  readonly send: (
    rows: readonly Row[],
    key: string,
  ) => Promise<{ readonly written: number; readonly skipped: number }>
  /** Of this import, in front of the keys. */
  readonly id: string
  readonly signal: AbortSignal
  readonly onState: (state: ImportState) => void
}

/**
 * Goes on from a state, batch by batch. A row that is refused is left out of its batch and told by its line. Rejects
 * with what no row is guilty of; to go on from the last state then sends the same batches with the same keys.
 */
export async function importRows(deps: ImportDependencies, begin: ImportState): Promise<void> {
  let state = begin
  const { rows, signal, onState } = deps
  const finish = async (batch: readonly Sent[], refused: readonly Refused[]) => {
    const known = state.refused.length - begin.refused.length + refused.length
    const sent = await sendBatch(deps, batch, REFUSED_MAX - known)
    const all = [...refused, ...sent.refused].toSorted((one, other) => one.line - other.line)
    state = {
      done: state.done + batch.length + refused.length,
      written: state.written + sent.written,
      skipped: state.skipped + sent.skipped,
      refused: [...state.refused, ...all],
    }
    onState(state)
    signal.throwIfAborted()
    if (known + sent.refused.length >= REFUSED_MAX)
      throw new Error(`It stopped after ${REFUSED_MAX} lines that were refused.`)
  }
  let batch: Sent[] = []
  let refused: Refused[] = []
  let characters = 0
  for (const read of rows(begin.done)) {
    if ('problem' in read) refused.push({ line: read.line, detail: read.problem })
    else {
      batch.push(read)
      characters += JSON.stringify(read.row).length
    }
    const isFull = batch.length + refused.length >= BATCH_ROWS || characters >= BATCH_CHARACTERS
    if (!isFull) continue
    await finish(batch, refused)
    batch = []
    refused = []
    characters = 0
  }
  if (batch.length + refused.length > 0) await finish(batch, refused)
}

/** Sends a batch again without each row that the server refuses. */
async function sendBatch(
  { send, id, signal }: ImportDependencies,
  batch: readonly Sent[],
  refusedMax: number,
) {
  let left = batch
  const refused: Refused[] = []
  while (left.length > 0) {
    signal.throwIfAborted()
    const key = `${id}-${left[0]?.line}-${refused.length}`
    try {
      const { written, skipped } = await send(
        left.map(({ row }) => row),
        key,
      )
      return { written, skipped, refused }
    } catch (error) {
      const at = refusedRow(error)
      const row = at === undefined ? undefined : left[at]
      if (row === undefined || refused.length >= refusedMax) throw error
      refused.push({ line: row.line, detail: (error as Error).message })
      left = left.filter((one) => one !== row)
    }
  }
  return { written: 0, skipped: 0, refused }
}

function refusedRow(error: unknown): number | undefined {
  if (!(error instanceof PercoliteError) || error.retryable) return undefined
  const { row } = error.fields
  return typeof row === 'number' ? row : undefined
}
