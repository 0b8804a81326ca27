// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { quoted } from '../page/statements/sql-text.ts'
import type { StatementRequest } from './observer-statements.ts'

type Status = Schemas['RelayStatus']

export function pauseRelayOf(relay: string): StatementRequest {
  return {
    sql: `ALTER RELAY ${quoted(relay)} PAUSE`,
    meaning:
      'Nothing is sent until it is resumed. What is not kept any more by then is lost to it.',
  }
}

/** From where it was; what the store has not kept can only be sent as a snapshot. */
export function resumeRelayOf({
  relay,
  stopped,
}: Pick<Status, 'relay' | 'stopped'>): StatementRequest {
  const isLost = stopped === 'relay_too_old' || stopped === 'history_replaced'
  const name = quoted(relay)
  return isLost
    ? {
        sql: `ALTER RELAY ${name} RESUME FROM SNAPSHOT`,
        meaning:
          'It sends all rows as they are now, and then what changes. The changes between are lost.',
      }
    : {
        sql: `ALTER RELAY ${name} RESUME`,
        meaning: 'It goes on with the message that the receiver has not taken.',
      }
}

/** Whether what it has to send may soon not be kept any more. */
export function isLate({ lagMs }: Pick<Status, 'lagMs'>, retentionMs: number): boolean {
  return lagMs > retentionMs / 2
}
