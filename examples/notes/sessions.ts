// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto'

const SESSIONS_MAX = 1_000
const COOKIE = '__Host-notes'
/** Sent by pages of this site only, read by no script, and never without TLS. */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict'

/** Who is signed in, by a cookie; forgotten with this process. */
export class Sessions {
  readonly #users = new Map<string, string>()

  /** The user of a header `Cookie`; undefined where nobody is signed in. */
  userOf(cookies: string | undefined): string | undefined {
    return this.#users.get(idIn(cookies))
  }

  /** The value of a `Set-Cookie`. Beyond the most that are kept, the oldest is signed out. */
  begin(user: string): string {
    const [oldest] = this.#users.keys()
    if (this.#users.size >= SESSIONS_MAX && oldest !== undefined) this.#users.delete(oldest)
    const id = randomBytes(32).toString('base64url')
    this.#users.set(id, user)
    return `${COOKIE}=${id}; ${ATTRIBUTES}`
  }

  /** The value of a `Set-Cookie`. */
  end(cookies: string | undefined): string {
    this.#users.delete(idIn(cookies))
    return `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0`
  }
}

function idIn(cookies = ''): string {
  const found = cookies.split('; ').find((cookie) => cookie.startsWith(`${COOKIE}=`))
  return found?.slice(COOKIE.length + 1) ?? ''
}
