// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStoreLimits, RowStep } from '../../cells/cell-store.ts'
import { unconditionalStep } from '../../cells/embedded-cell-store.ts'
import type { Mutation } from '../../cells/mutation.ts'
import { hashOfText } from '../../cells/row-hash.ts'
import type { BufferedRow, BufferedWrite } from '../buffer/write-buffer.ts'
import { contentOf } from '../percolator/write-set.ts'
import { setNotify } from '../records/notify-cell.ts'
import { eraseGuardsBefore, setData } from '../records/percolator-columns.ts'
import { encodeStartTs, encodeWriteRecord } from '../records/write-record.ts'
import type { LatchRequest } from './latches/latch-table.ts'

/** A row of a one-phase commit, encoded as far as is possible, and can fail, before commitTs is known. */
export type EncodedRow = LatchRequest & {
  readonly row: Uint8Array
  readonly columns: readonly EncodedColumn[]
  readonly notified: BufferedRow['notified']
}

type EncodedColumn = {
  readonly column: string
  /** `write` holds a write record, `guard` a guard's stamp; neither contains commitTs. */
  readonly family: 'write' | 'guard'
  readonly value: Uint8Array
  /** The value of a put that is too long for the write record. */
  readonly data: Uint8Array | undefined
}

export function encodeRow(
  { key, text, writes, notified }: BufferedRow,
  startTs: Timestamp,
  limits: CellStoreLimits,
): EncodedRow {
  const columns: EncodedColumn[] = []
  let kind: LatchRequest['kind'] = 'guard'
  for (const [column, write] of writes) {
    columns.push(encodeColumn(column, write, startTs, limits))
    if (write.kind !== 'guard') kind = 'write'
  }
  return { row: key, text, hash: hashOfText(text), kind, columns, notified }
}

function encodeColumn(
  column: string,
  write: BufferedWrite,
  startTs: Timestamp,
  limits: CellStoreLimits,
): EncodedColumn {
  const content = contentOf(write, limits)
  if (content.kind === 'guard') {
    return { column, family: 'guard', value: encodeStartTs(startTs), data: undefined }
  }
  const value = encodeWriteRecord({ startTs, content })
  const data = content.kind === 'data' && write.kind === 'put' ? write.value : undefined
  return { column, family: 'write', value, data }
}

/** The unconditional step that makes the row's writes visible at commitTs. */
export function commitStep(
  { row, columns, notified }: EncodedRow,
  { startTs, commitTs }: { readonly startTs: Timestamp; readonly commitTs: Timestamp },
): RowStep {
  const mutations: Mutation[] = []
  for (const { column, family, value, data } of columns) {
    if (data !== undefined) mutations.push(setData(column, startTs, data))
    if (family === 'guard') mutations.push(eraseGuardsBefore(column, commitTs))
    mutations.push({ kind: 'setCell', family, qualifier: column, timestamp: commitTs, value })
  }
  if (notified !== undefined) {
    for (const observerId of notified) mutations.push(setNotify(observerId, startTs))
  }
  return unconditionalStep(row, mutations)
}
