// SPDX-License-Identifier: Apache-2.0
import { type Mutant, mutant } from '../simulation/mutants/mutant.ts'

const RECORDED = 'storage/transactions/protocol/recorded-reads.ts'
const TOUCHED = 'server/live/subscriptions/results/reads/touched-keys.ts'
const READ_SETS = 'server/live/subscriptions/results/reads/read-sets.ts'
const RESULT = 'server/live/subscriptions/results/live-result.ts'
const RESULTS = 'server/live/subscriptions/results/live-results.ts'
const LIST = 'server/live/subscriptions/results/lists/row-list.ts'

const caughtBy = { script: 'liveResultsAreAnswers' } as const

/** Of live results: what was read, what a commit has touched, and what is told. */
export const LIVE_MUTANTS: readonly Mutant[] = [
  mutant({
    name: 'lookedUpKeysUnread',
    what: 'the keys of rows that are read together are not noted',
    file: RECORDED,
    find: 'for (const key of read[0]) this.set.addKey(key, read[1])',
    replace: '',
    caughtBy,
  }),
  mutant({
    name: 'absentKeysUnread',
    what: 'a key that has no row counts as not read',
    file: RECORDED,
    find: `    for (const key of read[0]) this.set.addKey(key, read[1])
    return this.#snapshot.getRows(...read)`,
    replace: `    return Promise.resolve(this.#snapshot.getRows(...read)).then((rows) => {
      rows.forEach((row, at) => row && this.set.addKey(read[0][at] as Uint8Array, read[1]))
      return rows
    })`,
    caughtBy,
  }),
  mutant({
    name: 'shortWindowEndsAtItsRow',
    what: 'a window that is not full counts as read up to its last row only',
    file: RECORDED,
    find: 'isWhole = range.limit === undefined || count < range.limit',
    replace: 'isWhole = range.limit === undefined',
    caughtBy,
  }),
  mutant({
    name: 'lastRowOfAWindowUnread',
    what: 'the last row of a window counts as not read',
    file: RECORDED,
    find: 'end: keyAfter(last)',
    replace: 'end: last',
    caughtBy,
  }),
  mutant({
    name: 'backwardIsForward',
    what: 'a range that is read backwards is noted as one from its beginning',
    file: RECORDED,
    find: 'if (reverse === true)',
    replace: 'if (reverse === undefined)',
    caughtBy,
  }),
  mutant({
    name: 'entriesOfOneImage',
    what: 'the entries after a commit are made of the row before it',
    file: TOUCHED,
    find: 'after: after[at]?.row ?? null',
    replace: 'after: before[at]?.row ?? null',
    caughtBy,
  }),
  mutant({
    name: 'storedValuesAreNoChange',
    what: 'an entry whose stored columns have changed counts as the same',
    file: TOUCHED,
    find: 'return edits.flatMap(',
    replace: 'return edits.filter(({ inPlace }) => !inPlace).flatMap(',
    caughtBy,
  }),
  mutant({
    name: 'anotherFamilyIsAnotherRow',
    what: 'of several families only the first is compared',
    file: TOUCHED,
    find: 'one.some((column) => other.includes(column))',
    replace: 'one.length === 1 && one[0] === other[0]',
    caughtBy,
  }),
  mutant({
    name: 'definitionsTouchNobody',
    what: 'a commit that changes definitions touches no answer',
    file: READ_SETS,
    find: 'return new Set(this.#held.keys())',
    replace: 'return new Set()',
    caughtBy,
  }),
  mutant({
    name: 'entriesOfOldDefinitions',
    what: 'entries are made by the definitions of the beginning',
    file: RESULTS,
    find: 'if (touched.changesCatalog) this.#catalog = undefined',
    replace: '',
    caughtBy,
  }),
  mutant({
    name: 'commitsMeanwhileForgotten',
    what: 'commits during an evaluation are not looked up in what it has read',
    file: RESULT,
    find: 'if (later.some((commit) => own.touchedBy(commit).size > 0)) this.#isStale = true',
    replace: '',
    caughtBy,
  }),
  mutant({
    name: 'stampOfTheEvaluationBefore',
    what: 'a state has the timestamp of the evaluation before',
    file: RESULT,
    find: 'const state = { ...listed, list,',
    replace: 'const state = { ...listed, ...(before && { timestamp: before.timestamp }), list,',
    caughtBy,
  }),
  mutant({
    name: 'digestOfTheFirstRow',
    what: 'the digest of a list is that of its first row',
    file: LIST,
    find: '${columns}\\n${this.#packed}',
    replace: '${columns}\\n${this.#packed.slice(0, 16)}',
    caughtBy,
  }),
]
