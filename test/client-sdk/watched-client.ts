// SPDX-License-Identifier: Apache-2.0
import { connect, type Database, type TokenGiver } from '../../client-sdk/client.ts'

/** What a client has sent and was given, as its wires tell. */
type Counts = {
  requests: number
  sockets: number
  /** Tokens that a socket has shown and the server has taken. */
  shown: number
  snapshots: number
  rows: number
  tokens: number
  reconnects: number
}

/** A row that came to a client whose token was of somebody else. */
type Stray = { readonly owner: unknown; readonly holder: string | undefined }

export type Watched = {
  readonly db: Database
  readonly counts: Counts
  /** What must stay empty. */
  readonly strays: Stray[]
  /** As whom the newest socket was let in. */
  readonly holder: () => string | undefined
  /** To be given to `subscribe` and `live`. */
  readonly counted: { readonly onReconnect: () => void; readonly keepTrying: true }
}

/**
 * A client of a server where rows have an `owner` who alone may see them, and begin their keys. Each row that comes
 * over its wires is compared with the subject of the token that the request had, or that the socket was let in with.
 */
export function watchedClient(
  url: string,
  give: () => Promise<string> | string,
  timeoutMs = 60_000,
): Watched {
  const counts: Counts = {
    ...{ requests: 0, sockets: 0, shown: 0, snapshots: 0, rows: 0, tokens: 0, reconnects: 0 },
  }
  const strays: Stray[] = []
  let newest: string | undefined
  const came = (owner: unknown, holder: string | undefined) => {
    counts.rows += 1
    if (owner !== holder) strays.push({ owner, holder })
  }
  const token: TokenGiver = () => {
    counts.tokens += 1
    return give()
  }
  const watchedFetch: typeof fetch = async (input, init) => {
    counts.requests += 1
    const answer = await fetch(input, init)
    if (!String(answer.headers.get('content-type')).startsWith('application/json')) return answer
    const holder = subjectOf(new Headers(init?.headers).get('authorization'))
    const { results = [] } = (await answer.clone().json()) as Answer
    for (const { rows } of results) for (const { owner } of rows) came(owner, holder)
    return answer
  }
  class WatchedSocket extends WebSocket {
    constructor(...told: ConstructorParameters<typeof WebSocket>) {
      super(...told)
      counts.sockets += 1
      let holder: string | undefined
      // Before the client has set its own, so that this one is told first.
      this.addEventListener('message', ({ data }) => {
        const { type, subject, rows = [], changes = [] } = JSON.parse(data as string) as Frame
        if (type === 'authenticated') {
          counts.shown += 1
          holder = subject?.split('|').at(-1)
          newest = holder
        }
        if (type === 'snapshotEnd') counts.snapshots += 1
        for (const { key } of [...rows, ...changes]) came(key[0], holder)
      })
    }
  }
  const db = connect({ url, token, timeoutMs, fetch: watchedFetch, WebSocket: WatchedSocket })
  const onReconnect = () => {
    counts.reconnects += 1
  }
  return { db, counts, strays, holder: () => newest, counted: { onReconnect, keepTrying: true } }
}

type Answer = { readonly results?: ReadonlyArray<{ readonly rows: Array<{ owner?: unknown }> }> }
type Keyed = { readonly key: readonly unknown[] }
type Frame = {
  readonly type: string
  readonly subject?: string
  readonly rows?: readonly Keyed[]
  readonly changes?: readonly Keyed[]
}

function subjectOf(authorization: string | null): string | undefined {
  const claims = authorization?.split('.')[1]
  return claims === undefined ? undefined : JSON.parse(atob(claims)).sub
}
