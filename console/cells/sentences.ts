// SPDX-License-Identifier: Apache-2.0
import type { CellHistory, Mark } from './cell-history.ts'

/** What happens at a stamp, in the order of the rows. */
export function sentencesAt(history: CellHistory, timestamp: number): string[] {
  const { strands, marks } = history
  const told = new Map<number, string[]>()
  for (const mark of marks) {
    const sentence = sentenceOf(history, mark, timestamp)
    if (sentence === undefined) continue
    const own = told.get(mark.strand) ?? []
    // A row with several columns says a thing once.
    const isSaid = [...told].some(
      ([strand, sentences]) =>
        strands[strand]?.name === strands[mark.strand]?.name && sentences.includes(sentence),
    )
    if (!isSaid) told.set(mark.strand, [...own, sentence])
  }
  return [...told.entries()].sort(([one], [other]) => one - other).flatMap(([, all]) => all)
}

function sentenceOf(
  { strands, commit, label, marks }: CellHistory,
  { family, look, strand, timestamp: at, until, transaction, lines }: Mark,
  timestamp: number,
): string | undefined {
  const name = strands[strand]?.name ?? ''
  const writer = transaction === undefined ? '' : `T${label(transaction)}`
  if (at !== timestamp) return undefined
  switch (family) {
    case 'lock':
      return look === 'supposed'
        ? `${writer} locks ${name}, and keeps it locked until ${label(until ?? at)}.`
        : `${writer} locks ${name} (${lines.join(' ')}), and holds it still.`
    case 'write':
      return commitSentence({ name, writer, at: label(at), kind: lines[0] ?? 'put', commit })
    case 'data': {
      const isKnown = marks.some(
        (mark) =>
          mark.strand === strand && mark.transaction === transaction && mark.family !== 'data',
      )
      return isKnown ? undefined : `${writer} has left a value of ${name}, and no record names it.`
    }
    case 'rollback':
      return `${writer} is rolled back at ${name}: the mark stays, and refuses it if it comes late.`
    case 'guard':
      return `Commit at ${label(at)}: ${name} is guarded, and not written.`
    case 'notify':
      return `${label(at)}: observers are notified of ${name}.`
  }
}

function commitSentence({
  name,
  writer,
  at,
  kind,
  commit,
}: {
  readonly name: string
  readonly writer: string
  readonly at: string
  readonly kind: string
  readonly commit: CellHistory['commit']
}): string {
  const what = kind === 'delete' ? `it says that ${name} is deleted` : `it points at the value`
  return commit === 'two-phase'
    ? `Commit at ${at}: the write record of ${writer} appears on ${name} (${what}), and the lock goes.`
    : `Commit at ${at}: ${writer} puts the write record on ${name} (${what}) together with the value, without a lock.`
}
