// SPDX-License-Identifier: Apache-2.0
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Database, Schemas } from '../../client-sdk/client.ts'

/** In the `sessionStorage`: for this tab alone, and gone with it. */
export const TOKEN_KEY = 'percolite-token'

export type Principal = Schemas['Principal']

/** What every view works with. */
export type ConsoleDependencies = {
  /** INTEGER is a bigint and JSON a text, so that nothing is rounded. */
  readonly db: Database
  readonly principal: Principal
  /** Closes what WebSockets are open, as a network would: whatever needs one connects again by itself. */
  readonly dropSockets: () => void
  /** To be called for an error about the token: brings its prompt back. */
  readonly askForToken: (error?: unknown) => void
}

export const ConsoleContext = createContext<ConsoleDependencies | undefined>(undefined)

export function useConsole(): ConsoleDependencies {
  const deps = useContext(ConsoleContext)
  if (deps === undefined) throw new Error('A view stands outside of the console.')
  return deps
}

/** Whether this principal has a right on the server. */
export function useRight(right: 'define' | 'inspect' | 'admin'): boolean {
  return useConsole().principal.rights.includes(right)
}
