// SPDX-License-Identifier: Apache-2.0
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { rowsOf } from '../load/data.ts'
import {
  type PercoliteOptions,
  type PercoliteServer,
  startPercolite,
  tokenOf,
} from '../servers/percolite-server.ts'
import { loadItemsAndAccounts } from '../stores/load-items.ts'
import { closedOnFailure } from '../stores/start-store.ts'

export type Mode = 'none' | 'preferred' | 'required'

/** A primary, and the standby that follows it; the primary is what is measured. */
export type Pair = PercoliteServer & { readonly standby: PercoliteServer; readonly token: string }

/** Both serve, and nothing waits for a second copy. The rows came before one was demanded. */
export async function startPair(
  folder: string,
  mode: Mode,
  options: PercoliteOptions,
): Promise<Pair> {
  const { token, following } = await loaded(folder, options)
  const tokenFile = join(folder, 'follow.token')
  await writeFile(tokenFile, following, { mode: 0o600 })
  const copy = ['--second-copy', mode]
  const primary = await startPercolite(folder, withFlags(options, copy))
  return await closedOnFailure(primary, async () => {
    const follow = ['--follow', primary.origin, '--token-file', tokenFile]
    const atStandby = withFlags(options, [...copy, ...follow])
    const place = join(folder, 'standby')
    await mkdir(place)
    const standby = await startPercolite(place, atStandby)
    const close = async () => {
      // Without its standby a primary that needs one would wait.
      await primary.close()
      await standby.close()
    }
    return await closedOnFailure({ close }, async () => {
      await untilItFollows(primary, standby, token)
      return { ...primary, standby, token, close }
    })
  })
}

async function loaded(folder: string, options: PercoliteOptions) {
  const server = await startPercolite(folder, options)
  try {
    await loadItemsAndAccounts({ kind: 'percolite', origin: server.origin }, rowsOf(options))
    const made = await server.query({ sql: 'CREATE TOKEN root ROLE admin EXPIRES IN 1 DAY' })
    const token = tokenOf(made) as string
    await server.query({ sql: 'CREATE ROLE standby; GRANT FOLLOW TO standby' }, token)
    const sql = 'CREATE TOKEN standby ROLE standby EXPIRES IN 1 DAY'
    return { token, following: tokenOf(await server.query({ sql }, token)) as string }
  } finally {
    await server.close()
  }
}

async function untilItFollows(
  primary: PercoliteServer,
  standby: PercoliteServer,
  token: string,
): Promise<void> {
  const sql = 'SET balance = 1 ON account WHERE id = :id'
  const untilMs = performance.now() + START_MS_MAX
  for (;;) {
    try {
      const written = await primary.query({ sql, params: { id: 'acct00000000' } }, token)
      // Until its first frame a standby does not know what came after the last row, such as this token.
      return await seenAtStandby(standby, token, (written as Committed).commitTimestamp)
    } catch (error) {
      if (performance.now() > untilMs) throw error
    }
    await delay(100)
  }
}

export type Committed = { readonly commitTimestamp: number }

/** Waits until a read of the standby sees this commit. */
export async function seenAtStandby(
  { origin }: Pick<PercoliteServer, 'origin'>,
  token: string,
  commitTimestamp: number,
): Promise<void> {
  const answer = await fetch(`${origin}/v1/query`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'percolite-min-timestamp': String(commitTimestamp),
    },
    body: JSON.stringify({ sql: "GET balance FROM account WHERE id = 'acct00000000'" }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`the standby has answered ${answer.status}: ${text}`)
}

/** How many bytes of groups a standby has applied since it started. */
export async function appliedBytes(
  { origin }: Pick<PercoliteServer, 'origin'>,
  token: string,
): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  const text = await (await fetch(`${origin}/metrics`, { headers })).text()
  const [, bytes] = /^percolite_standby_applied_bytes_total (\d+)$/m.exec(text) ?? []
  if (bytes === undefined) throw new Error(`there is no such figure in the metrics of ${origin}`)
  return Number(bytes)
}

function withFlags(options: PercoliteOptions, flags: readonly string[]): PercoliteOptions {
  return { ...options, 'server-flags': [options['server-flags'], ...flags].join(' ') }
}

const START_MS_MAX = 60_000
