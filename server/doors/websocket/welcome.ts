// SPDX-License-Identifier: Apache-2.0
import { ALL_LIMITS } from '../../limits.ts'

export const PROTOCOL = 'percolite.v1'

/** What a client has to know of the limits that hold for its frames. */
const LIMITS_TOLD = Object.fromEntries(
  (
    [
      'bodyBytesMax',
      'bodyNestingMax',
      'statementTextBytesMax',
      'frameIdCharactersMax',
      'socketQueriesMax',
      'socketSubscriptionsMax',
      'socketWorkersMax',
      'socketUnsentBytesMax',
      'sentFrameBytesMax',
    ] as const
  ).map((name) => [name, ALL_LIMITS[name]]),
)

/** The first frame of every socket. */
export function welcomeText(
  version: string,
  history: string,
  auth: 'none' | 'required' | 'done',
): string {
  const type = 'welcome'
  return JSON.stringify({ type, version, protocol: PROTOCOL, history, auth, limits: LIMITS_TOLD })
}
