// SPDX-License-Identifier: Apache-2.0
import { durationText } from '../page/stamp-text.ts'

/** A moment on the line, with its place from 0 to 100. */
export type Mark = { readonly name: string; readonly stamp: number; readonly percent: number }

export type RetentionLine = {
  /** The oldest moment that can be read, the oldest snapshot that is open, and now. */
  readonly marks: readonly Mark[]
  readonly text: string
}

/** How far back the past can be read, and how much of it open transactions hold. */
export function retentionLine(status: {
  readonly timestamp: number
  readonly safePoint: number
  readonly historyFrom: number
  readonly oldestSnapshot: number
}): RetentionLine {
  const { timestamp: now, safePoint, historyFrom, oldestSnapshot } = status
  const isWhole = safePoint <= historyFrom
  const oldest = Math.min(now, Math.max(safePoint, historyFrom))
  const percentOf = (stamp: number) =>
    now <= oldest ? 100 : Math.max(0, Math.min(100, ((stamp - oldest) / (now - oldest)) * 100))
  const snapshot = Math.min(oldestSnapshot, now)
  const marks = [
    { name: isWhole ? 'begin of the database' : 'safe point', stamp: oldest, percent: 0 },
    { name: 'oldest snapshot', stamp: snapshot, percent: percentOf(snapshot) },
    { name: 'now', stamp: now, percent: 100 },
  ]
  const back = durationText((now - oldest) / 1_000)
  const ageMs = (now - snapshot) / 1_000
  const held =
    ageMs < 1_000
      ? 'no open snapshot holds old versions'
      : `the oldest snapshot that is open is ${durationText(ageMs)} old`
  return { marks, text: `The past can be read ${back} back; ${held}.` }
}
