// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from 'preact/hooks'
import type { Database, Schemas } from '../../client-sdk/client.ts'
import type { AccessStatement, Grant } from './access-statements.ts'

type Token = {
  readonly name: string
  readonly id: string
  readonly role: string
  readonly created: string
  readonly expires: string
  readonly formerUntil: string | null
}
type Role = {
  readonly role: string
  readonly jwt: boolean
  readonly tokens: bigint
  readonly limits: string | null
}

export type Access = {
  readonly tokens: readonly Token[]
  readonly roles: readonly Role[]
  /** Of all roles, or of the own one to who is no administrator. */
  readonly grants: readonly Grant[]
  /** That a right may be granted on. */
  readonly tables: readonly string[]
}

/** Who may do what, read once and after each statement, and the statement that is about to be sent. */
export function useAccess(db: Database, isAdmin: boolean) {
  const [access, setAccess] = useState<Access>()
  const [error, setError] = useState<unknown>()
  const [requested, setRequested] = useState<AccessStatement>()
  /** Shown until it is put away: nothing is asked meanwhile, as the first one closes the server to this page. */
  const [secret, setSecret] = useState<string>()
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    readAccess(db, isAdmin, signal).then(
      (read) => setAccess(read),
      (reason) => signal.aborted || setError(reason),
    )
    return () => ending.abort()
  }, [db, isAdmin, turn])
  const send = async ({ sql }: AccessStatement) => {
    setError(undefined)
    try {
      const { rows } = await db.query<{ token?: string }>(sql)
      const token = rows[0]?.token
      setSecret(token)
      if (token === undefined) setTurn((before) => before + 1)
    } catch (reason) {
      setError(reason)
    }
  }
  return {
    ...{ access, error, requested, secret },
    request: setRequested,
    answer: (isWanted: boolean) => {
      setRequested(undefined)
      if (isWanted && requested !== undefined) void send(requested)
    },
    putAway: () => {
      setSecret(undefined)
      setTurn((before) => before + 1)
    },
  }
}

async function readAccess(db: Database, isAdmin: boolean, signal: AbortSignal): Promise<Access> {
  const rowsOf = async <R extends object>(sql: string) =>
    (await db.query<R>(sql, undefined, { signal })).rows
  const grants = rowsOf<Grant>('SHOW GRANTS')
  if (!isAdmin) return { tokens: [], roles: [], tables: [], grants: await grants }
  const list = db.request<Schemas['TableList']>('GET', '/v1/tables', undefined, { signal })
  const [tokens, roles, all, { tables }] = await Promise.all([
    rowsOf<Token>('SHOW TOKENS'),
    rowsOf<Role>('SHOW ROLES'),
    grants,
    list,
  ])
  return { tokens, roles, grants: all, tables: tables.map(({ name }) => name) }
}
