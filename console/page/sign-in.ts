// SPDX-License-Identifier: Apache-2.0
import { connect, type Database } from '../../client-sdk/client.ts'
import { type Principal, TOKEN_KEY } from './console-context.ts'

export function keptToken(): string | undefined {
  return sessionStorage.getItem(TOKEN_KEY) ?? undefined
}

export function forgetToken(): void {
  sessionStorage.removeItem(TOKEN_KEY)
}

/** A client of the server that the page is from, and who it is there. */
export type SignedIn = {
  readonly db: Database
  readonly principal: Principal
  readonly dropSockets: () => void
}

/** Of those codes that a page may give. */
const DROPPED = 4_000

/**
 * Connects, with a token where one is given, which is then kept. `onRefused` is told of each 401 that comes later.
 * Rejects with the error of the server, and with TypeError where the token would travel in the clear.
 */
export async function signIn(token: string | undefined, onRefused: () => void): Promise<SignedIn> {
  let isSignedIn = false
  const watched: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init)
    if (answer.status === 401 && isSignedIn) onRefused()
    return answer
  }
  const open = new Set<WebSocket>()
  const Watched = class extends WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols)
      open.add(this)
      this.addEventListener('close', () => open.delete(this))
    }
  }
  const db = connect({
    url: location.origin,
    fetch: watched,
    WebSocket: Watched,
    integers: 'bigint',
    json: 'text',
    ...(token === undefined ? {} : { token }),
  })
  const principal = await db.request<Principal>('GET', '/v1/principal')
  isSignedIn = true
  if (token !== undefined) sessionStorage.setItem(TOKEN_KEY, token)
  const dropSockets = () => {
    for (const socket of open) socket.close(DROPPED, 'dropped by the user')
  }
  return { db, principal, dropSockets }
}
