// SPDX-License-Identifier: Apache-2.0

/** Why the server closes a socket; `docs/websocket-protocol.md` lists the same. */
export const CLOSE_CODES = {
  goingAway: 1001,
  badFrame: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  tooSlow: 4408,
  tooMany: 4429,
} as const

export type CloseReason = keyof typeof CLOSE_CODES
