// SPDX-License-Identifier: Apache-2.0
import type { Row, Timestamp } from '../../cells/cell.ts'
import type { RowStep } from '../../cells/cell-store.ts'
import { stepsOf } from '../../cells/embedded-cell-store.ts'
import { noteRowKey, timestampOfNoteRow } from '../../cells/note.ts'
import { intact } from '../../invariant.ts'
import type { BufferedRow } from '../buffer/write-buffer.ts'
import { type CommitNote, NOTHING_NOTED } from '../protocol/commit-log.ts'
import type { FeedCommit } from './change-feed.ts'
import {
  changedRowsOf,
  decodeLogEntry,
  decodeLogNotes,
  encodeLogEntry,
  encodeLogNote,
  isLoggedRow,
  isLogNote,
} from './log-entry.ts'

/**
 * The log of a process that owns its store exclusively: rows whose keys ascend with commitTs, so the commits after a
 * position are a range.
 *
 *     00 "log/0649add4493008"  data "0" @commitTs   the notes of all that committed together,
 *                                                     the last of them at commitTs
 *     00 "log/0649add4493009"  data "0" @commitTs   one commit of very many rows: the first 256
 *                                data "1" @commitTs   the next
 *
 * They are plain cells: the batch that makes the transaction visible makes them visible too.
 */

/** Rows that one cell of an entry names; the cells of a large commit are made over several turns. */
const PART_ROWS = 256

/** The note of a commit of these rows: nothing if it changed no logged row. */
export function logNote(commitTs: Timestamp, rows: readonly BufferedRow[]): CommitNote {
  if (rows.length <= PART_ROWS) {
    const changed = changedRowsOf(rows)
    if (changed.length === 0) return NOTHING_NOTED
    const value = encodeLogNote({ commitTs, rows: changed })
    return { note: { timestamp: commitTs, value }, steps: [] }
  }
  const logged = rows.filter(({ key }) => isLoggedRow(key))
  if (logged.length === 0) return NOTHING_NOTED
  const starts: number[] = []
  for (let at = 0; at < logged.length; at += PART_ROWS) starts.push(at)
  const steps = stepsOf(starts, (at) =>
    partStep(commitTs, at / PART_ROWS, changedRowsOf(logged.slice(at, at + PART_ROWS))),
  )
  return { note: undefined, steps }
}

function partStep(commitTs: Timestamp, part: number, rows: FeedCommit['rows']): RowStep {
  const row = noteRowKey(commitTs)
  if (rows.length === 0) return { row, when: [], ifMatched: [], otherwise: [] }
  const value = encodeLogEntry(rows)
  return {
    row,
    when: [],
    ifMatched: [],
    otherwise: [
      { kind: 'setCell', family: 'data', qualifier: String(part), timestamp: commitTs, value },
    ],
  }
}

/** The commits in a row of the log, ascending; the last is the one of its key. Throws on violations of J9. */
export function commitsOfLogRow({ key, cells }: Row): FeedCommit[] {
  const rowTs = timestampOfNoteRow(key)
  const parts = cells.map(({ family, qualifier, timestamp, value }) => {
    const part = Number(qualifier)
    const isPart = family === 'data' && timestamp === rowTs && String(part) === qualifier
    intact(isPart, 'J9', { damaged: 'log row', rowTs, family, qualifier, timestamp })
    return { part, value }
  })
  const [first] = parts
  if (first !== undefined && isLogNote(first.value)) {
    const commits = decodeLogNotes(first.value)
    const ascend = commits.every(({ commitTs }, at) => commitTs > (commits[at - 1]?.commitTs ?? -1))
    const isSound = ascend && commits.at(-1)?.commitTs === rowTs && parts.length === 1
    intact(isSound, 'J9', { damaged: 'log row', rowTs, commits: commits.length })
    return commits
  }
  // Qualifiers sort as text, in which 10 comes before 2.
  parts.sort((a, b) => a.part - b.part)
  return [{ commitTs: rowTs, rows: parts.flatMap(({ value }) => decodeLogEntry(value)) }]
}
