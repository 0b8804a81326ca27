// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { bytesText, countText, durationText, stampText } from '../page/stamp-text.ts'

export type Fact = {
  readonly name: string
  readonly text: string
  readonly title?: string
  /** Where there is more of it. */
  readonly href?: string
  /** Something that an operator should see to. */
  readonly isBad?: boolean
}

type Status = Schemas['Status']

/** A standby that is further behind is something to see to. */
const BEHIND_MS_MAX = 10_000
const LOST = 'What was committed after it is lost.'

/** What `GET /v1/status` says of the server and its store. */
export function storeFacts(status: Status): Fact[] {
  const { disk, clock, redoLog, restored, feedLagMs } = status
  const clockOff = Math.max(Math.abs(clock.offsetSeconds), clock.timestampsAheadSeconds)
  return [
    { name: 'version', text: status.version },
    { name: 'engine', text: `${status.engine}, ${status.commit}` },
    ...(status.standby === undefined ? [] : standbyFacts(status.standby)),
    ...(status.secondCopy === undefined ? [] : secondCopyFacts(status.secondCopy)),
    { name: 'up for', text: durationText(status.uptimeSeconds * 1_000) },
    { name: 'open transactions', text: countText(status.openTransactions) },
    { name: 'written, not committed', text: bytesText(status.bufferedBytes) },
    { name: 'conflicts', text: countText(status.conflicts), title: 'since the start' },
    { name: 'sockets', text: countText(status.sockets) },
    { name: 'subscriptions', text: countText(status.subscriptions), href: '#/subscriptions' },
    ...(feedLagMs === undefined ? [] : [{ name: 'feed lag', text: durationText(feedLagMs) }]),
    ...(clockOff === 0
      ? []
      : [{ name: 'clock is off by', text: durationText(clockOff * 1_000), isBad: true }]),
    ...(disk === undefined
      ? []
      : [
          { name: 'data', text: bytesText(disk.storeBytes) },
          { name: 'log', text: bytesText(disk.logBytes) },
          {
            name: 'free on the disk',
            text: `${bytesText(disk.freeBytes)} of ${bytesText(disk.sizeBytes)}`,
            isBad: disk.isFull,
          },
        ]),
    ...(redoLog === undefined
      ? []
      : [{ name: `redo log, ${redoLog.policy}`, text: bytesText(redoLog.bytes) }]),
    { name: 'history', text: status.history.slice(0, 8), title: status.history },
    ...(restored === undefined
      ? []
      : [{ name: 'put back as of', text: stampText(restored.after), title: LOST }]),
  ]
}

/** Of a server that follows another. */
function standbyFacts(standby: NonNullable<Status['standby']>): Fact[] {
  const { primary, phase, connected, groupsBehind, behindMs } = standby
  const behind = `${durationText(behindMs)}, ${countText(groupsBehind)} groups`
  return [
    { name: 'role', text: 'standby, takes no writes' },
    { name: 'primary', text: primary },
    { name: 'connection', text: connected ? phase : 'lost', isBad: !connected },
    { name: 'behind', text: behindMs === 0 ? 'no' : behind, isBad: behindMs > BEHIND_MS_MAX },
  ]
}

/** Of a server that others follow. */
function secondCopyFacts(copy: NonNullable<Status['secondCopy']>): Fact[] {
  const { mode, connected, alone, groupsBehind } = copy
  const isMissing = mode !== 'none' && !connected
  const progress = groupsBehind === 0 ? 'has all' : `${countText(groupsBehind)} groups behind`
  return [
    { name: 'role', text: 'primary' },
    { name: 'standby', text: connected ? progress : 'not connected', isBad: isMissing },
    { name: 'second copy', text: alone ? `${mode}, writes go on without` : mode, isBad: alone },
  ]
}

/** What the last collection of old versions has done. */
export function collectionFacts(last: NonNullable<Status['lastCollection']>): Fact[] {
  return [
    { name: 'rows looked at', text: countText(last.rowsExamined) },
    { name: 'rows collected', text: countText(last.rowsCollected) },
    { name: 'reclaimed', text: bytesText(last.bytesReclaimed) },
    { name: 'locks resolved', text: countText(last.locksResolved) },
    { name: 'took', text: durationText(last.elapsedMs) },
  ]
}

/** What a check of the whole store has found. */
export function checkFacts(report: Schemas['ConsistencyReport']): Fact[] {
  const { sound, rows, cells, problemCount, orphanedValues } = report
  const families = Object.entries(cells).filter(([, count]) => count > 0)
  return [
    {
      name: 'verdict',
      text: sound ? 'sound' : `${countText(problemCount)} problems`,
      isBad: !sound,
    },
    { name: 'rows', text: countText(rows) },
    ...families.map(([name, count]) => ({ name: `cells, ${name}`, text: countText(count) })),
    { name: 'values that nothing refers to', text: countText(orphanedValues) },
  ]
}
