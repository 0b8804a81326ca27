// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { bytesText, countedText, countText } from '../page/stamp-text.ts'

type Open = Schemas['OpenTransaction']

/** Of those of other clients the list has the stamp in place of the id, and nobody else can use that. */
export function isOwn({ transaction }: Pick<Open, 'transaction'>): boolean {
  return transaction.includes('.')
}

/** The rows by their tables, and the bytes: `account 3, trade 1; 310 B`. */
export function writtenText({ writes, bytes, readOnly }: Open): string {
  if (readOnly) return 'reads only'
  if (writes.length === 0) return 'nothing'
  const tables = writes.map(({ table, rows }) => `${table} ${countText(rows)}`)
  return `${tables.join(', ')}; ${bytesText(bytes)}`
}

/** What it does now: a request runs inside, or for how long there was none. */
export function rollBackMeaning({ writes, busy }: Open): string {
  const rows = writes.reduce((sum, one) => sum + one.rows, 0)
  const lost =
    rows === 0
      ? 'It has written nothing.'
      : `What it has written is dropped: ${countedText(rows, 'row')}.`
  return busy ? `${lost} The statement that runs inside is stopped.` : lost
}
