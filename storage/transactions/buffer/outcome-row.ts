// SPDX-License-Identifier: Apache-2.0
import { keyString, systemRowKey } from '../../cells/row-key.ts'
import { OUTCOME_COLUMN, outcomePath } from '../records/transaction-id.ts'
import type { BufferedRow, BufferedWrite } from './write-buffer.ts'

/** The row that records the outcome of the transaction; see `transaction-outcome.ts`. */
export function outcomeRow(id: string): BufferedRow {
  const written: BufferedWrite = { kind: 'put', value: new Uint8Array() }
  const key = systemRowKey(outcomePath(id))
  return { key, text: keyString(key), writes: new Map([[OUTCOME_COLUMN, written]]) }
}
