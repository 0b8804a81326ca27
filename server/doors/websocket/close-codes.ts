// SPDX-License-Identifier: Apache-2.0

/** Why the server closes a socket; `docs/websocket-protocol.md` lists the same. */
export const CLOSE_CODES = {
  goingAway: 1001,
  badFrame: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  tooSlow: 4408,
  moved: 4421,
  tooMany: 4429,
} as const

export type CloseReason = keyof typeof CLOSE_CODES

/** Why a socket is closed after its last answer. Of one that is sent on, `words` is where to. */
export type SocketEnd = { readonly reason: CloseReason; readonly words: string }

export const SERVER_STOPS: SocketEnd = { reason: 'goingAway', words: 'The server is stopping.' }
