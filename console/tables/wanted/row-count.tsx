// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from 'preact/hooks'
import { useConsole } from '../../page/console-context.ts'
import { countedText } from '../../page/stamp-text.ts'
import { quoted } from '../../page/statements/sql-text.ts'
import type { RowsWanted } from '../use-rows.ts'

/**
 * How many rows meet the condition, of the moment of those that are shown. It is asked only with one, and the server
 * refuses one that bounds no key: to count a table is to read it.
 */
export function RowCount({
  wanted: { table, where },
  readTimestamp,
  onError,
}: {
  readonly wanted: RowsWanted
  readonly readTimestamp: number | undefined
  readonly onError: (error: unknown) => void
}) {
  const { db } = useConsole()
  const [count, setCount] = useState<bigint>()
  useEffect(() => setCount(undefined), [table, where, readTimestamp])
  if (where === undefined || readTimestamp === undefined) return null
  if (count !== undefined)
    return <strong role="status">{countedText(Number(count), 'row')} in all</strong>
  const ask = async () => {
    onError(undefined)
    try {
      // As of a moment, which also refuses whatever would write.
      const sql = `SCAN COUNT(*) AS n FROM ${quoted(table)} WHERE (${where}\n)`
      const { rows } = await db.query<{ n: bigint }>(sql, undefined, { asOf: readTimestamp })
      setCount(rows[0]?.n)
    } catch (error) {
      onError(error)
    }
  }
  return (
    <button type="button" onClick={ask}>
      Count
    </button>
  )
}
