// SPDX-License-Identifier: Apache-2.0
import type { ListOperation } from '../simulation/checkers/history.ts'
import type { ListTransaction } from '../simulation/checkers/list-append-checker.ts'

/** A transaction on lists, with who ran it and when, in milliseconds of one clock. */
export type TimedListTransaction = ListTransaction & {
  /** A client; nobody goes on as one whose last transaction has no known outcome. */
  readonly process: number
  readonly beganMs: number
  readonly endedMs: number
}

const TYPES = { committed: ':ok', rolledBack: ':fail', unknown: ':info' } as const

type Line = {
  readonly atMs: number
  readonly process: number
  readonly type: string
  readonly value: string
}

/**
 * A history of list appends in EDN, as Elle reads it (`list-append`): a line when each transaction began, which says
 * what it was to do, and one when it ended, which says what it read. Lines are in the order of their times.
 */
export function listHistory(transactions: readonly TimedListTransaction[]): string {
  const lines = transactions.flatMap(
    ({ process, beganMs, endedMs, outcome, operations }): Line[] => {
      const asked = operationsText(operations, false)
      const value = outcome === 'committed' ? operationsText(operations, true) : asked
      return [
        { atMs: beganMs, process, type: ':invoke', value: asked },
        { atMs: endedMs, process, type: TYPES[outcome], value },
      ]
    },
  )
  // Of lines of one time, those that began come first: they were at the same time then, which claims less.
  return lines
    .sort((a, b) => a.atMs - b.atMs || Number(b.type === ':invoke') - Number(a.type === ':invoke'))
    .map(({ atMs, process, type, value }, index) => {
      const time = Math.round(atMs * 1e6)
      return `{:index ${index}, :time ${time}, :type ${type}, :process ${process}, :f :txn, :value ${value}}\n`
    })
    .join('')
}

function operationsText(operations: readonly ListOperation[], withReads: boolean): string {
  const texts = operations.map((operation) => {
    const { key } = operation
    if (operation.kind === 'append') return `[:append ${key} ${operation.element}]`
    return `[:r ${key} ${withReads ? `[${operation.elements.join(' ')}]` : 'nil'}]`
  })
  return `[${texts.join(' ')}]`
}
