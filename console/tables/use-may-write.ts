// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from 'preact/hooks'
import { useConsole } from '../page/console-context.ts'
import { mayWrite } from './table-words.ts'

/** Whether this principal may write a table, some of its rows at least; false until that is known. */
export function useMayWrite(table: string): boolean {
  const { db, principal } = useConsole()
  const [isAllowed, setIsAllowed] = useState(!principal.tokenRequired)
  useEffect(() => {
    if (!principal.tokenRequired) return
    const ending = new AbortController()
    const { signal } = ending
    db.query('SHOW GRANTS', undefined, { signal }).then(
      ({ rows }) => setIsAllowed(mayWrite(rows, table)),
      // Where it cannot be known, a write is tried, and refused by the server.
      () => signal.aborted || setIsAllowed(true),
    )
    return () => ending.abort()
  }, [db, principal, table])
  return isAllowed
}
