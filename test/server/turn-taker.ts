// SPDX-License-Identifier: Apache-2.0
import { type ClientKey, SERVER_ITSELF } from '../../server/guard/budgets/client-key.ts'
import type { TurnTaker } from '../../server/guard/budgets/turns.ts'

/** Somebody who works in turns and is never refused. */
export function turnTaker(
  client: ClientKey = SERVER_ITSELF,
  signal: AbortSignal = new AbortController().signal,
): TurnTaker {
  return { client, signal, waitsForTurn: () => undefined, hasTurn: () => undefined }
}
