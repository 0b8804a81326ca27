// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { quoted, textLiteral, wireLiteral } from '../page/statements/sql-text.ts'

/** A statement that is shown before it is sent, and what it does. */
export type StatementRequest = { readonly sql: string; readonly meaning: string }

export function pauseOf(observer: string): StatementRequest {
  return {
    sql: `ALTER OBSERVER ${quoted(observer)} PAUSE`,
    meaning: 'Nothing runs until it is resumed. It is still notified of changes; none is lost.',
  }
}

/** The same statement ends a pause and takes up what was given up. */
export function resumeOf({
  observer,
  state,
}: Pick<Schemas['ObserverStatus'], 'observer' | 'state'>): StatementRequest {
  const meaning =
    state === 'paused'
      ? 'It runs again, for what has changed meanwhile and for all of its dead letters.'
      : 'It runs again for all of its dead letters.'
  return { sql: `ALTER OBSERVER ${quoted(observer)} RESUME`, meaning }
}

/** The other state of a schedule. */
export function scheduleStateOf({
  schedule,
  state,
}: Pick<Schemas['ObserverSchedule'], 'schedule' | 'state'>): StatementRequest {
  const name = quoted(schedule)
  return state === 'paused'
    ? {
        sql: `ALTER SCHEDULE ${name} RESUME`,
        meaning: 'It waits for its next time. Those of the pause are not made up for.',
      }
    : {
        sql: `ALTER SCHEDULE ${name} PAUSE`,
        meaning: 'Its times pass until it is resumed, and are not made up for.',
      }
}

/** `from` is a time as text or a stamp, as somebody has typed it. */
export function replayOf(observer: string, from: string): StatementRequest {
  const stamp = /^\d+$/.test(from) ? from : textLiteral(from)
  return {
    sql: `ALTER OBSERVER ${quoted(observer)} REPLAY FROM ${stamp}`,
    meaning: 'It runs again for every row that has changed since then, dead letters among them.',
  }
}

/** For one row of a weak observer. A strong one takes up a dead letter by a change of its row, or with all others. */
export function notifyOf(
  observer: string,
  { name, primaryKey, columns }: Schemas['Table'],
  key: readonly unknown[],
): StatementRequest {
  const conditions = primaryKey.map(({ column }, at) => {
    const type = columns.find((one) => one.name === column)?.type ?? 'TEXT'
    return `${quoted(column)} = ${wireLiteral(key[at], type)}`
  })
  const where = conditions.join(' AND ')
  return {
    sql: `NOTIFY ${quoted(observer)} ON ${quoted(name)} WHERE ${where}`,
    meaning: 'It runs again for this row.',
  }
}
