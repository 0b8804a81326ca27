// SPDX-License-Identifier: Apache-2.0
import type { CheckAndMutate } from '../../../storage/cells/cell-store.ts'
import { keyString } from '../../../storage/cells/row-key.ts'
import {
  decodeStartTs,
  decodeWriteRecord,
} from '../../../storage/transactions/records/write-record.ts'
import { setCells } from '../simulated/step-kind.ts'
import type { Violations } from './violations.ts'

/** A write record or a guard stamp that was applied to the store, kept beyond garbage collection. */
export type LoggedCommit = {
  readonly startTs: number
  readonly commitTs: number
  readonly kind: 'put' | 'delete' | 'guard'
  /** Of a put; undefined when it was never set, which is a fault of its own. */
  readonly value: Uint8Array | undefined
}

/**
 * What truly happened: every commit record as the store took it, whoever sent it. The checkers
 * compare with this what clients were told.
 */
export class CommitLog {
  /** By row and column, in the order in which they were applied. */
  readonly columns = new Map<string, LoggedCommit[]>()
  /** By startTs. */
  readonly commitTs = new Map<number, number>()
  readonly rolledBack = new Set<number>()
  readonly #values = new Map<string, Uint8Array>()
  readonly #violations: Violations

  constructor(violations: Violations) {
    this.#violations = violations
  }

  /** To be told of every conditional mutation, with the safe point at that moment. */
  applied(row: Uint8Array, step: CheckAndMutate, matched: boolean, safePoint: number): void {
    const text = keyString(row)
    for (const cell of setCells(matched ? step.ifMatched : step.otherwise)) {
      const column = columnName(text, cell.qualifier)
      if (cell.family === 'data') this.#values.set(`${column}@${cell.timestamp}`, cell.value)
      else if (cell.family === 'write') this.#addWrite(column, cell.timestamp, cell.value)
      else if (cell.family === 'guard') {
        const startTs = decodeStartTs(cell.value)
        this.#add(column, { startTs, commitTs: cell.timestamp, kind: 'guard', value: undefined })
      } else if (cell.family === 'rollback') {
        if (safePoint <= cell.timestamp) this.#decideRollback(cell.timestamp)
      }
    }
  }

  #addWrite(column: string, commitTs: number, record: Uint8Array): void {
    const { startTs, content } = decodeWriteRecord(record)
    const value =
      content.kind === 'inline' ? content.value : this.#values.get(`${column}@${startTs}`)
    this.#add(column, {
      startTs,
      commitTs,
      kind: content.kind === 'delete' ? 'delete' : 'put',
      value: content.kind === 'delete' ? undefined : value,
    })
  }

  #add(column: string, commit: LoggedCommit): void {
    const { startTs, commitTs } = commit
    const logged = this.columns.get(column) ?? []
    this.columns.set(column, logged)
    if (logged.some((other) => other.startTs === startTs)) {
      this.#violations.add('I4', `${column} was committed twice by the transaction at ${startTs}`)
    }
    logged.push(commit)
    const known = this.commitTs.get(startTs)
    if (known !== undefined && known !== commitTs) {
      this.#violations.add('I4', `${startTs} committed at ${known} and at ${commitTs}`)
    }
    this.commitTs.set(startTs, commitTs)
    if (this.rolledBack.has(startTs)) {
      this.#violations.add('I3', `${startTs} committed ${column} after it had been rolled back`)
    }
  }

  #decideRollback(startTs: number): void {
    this.rolledBack.add(startTs)
    if (this.commitTs.has(startTs)) {
      this.#violations.add('I3', `${startTs} was rolled back after it had committed`)
    }
  }
}

export function columnName(rowText: string, qualifier: string): string {
  return `${rowText}#${qualifier}`
}
