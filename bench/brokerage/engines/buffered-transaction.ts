// SPDX-License-Identifier: Apache-2.0
import type { Answers, Change, Read, Transaction } from '../engine.ts'
import type { RowOf, TableName } from '../schema/schema.ts'
import type { Value } from '../schema/table-shape.ts'

export type AnyRow = Readonly<Record<string, Value>>

/** A write that waits for the commit. */
export type Write =
  | { readonly kind: 'insert'; readonly table: TableName; readonly row: AnyRow }
  | {
      readonly kind: 'update'
      readonly table: TableName
      readonly key: readonly Value[]
      readonly set: AnyRow
      readonly add: Readonly<Record<string, number>>
    }
  | { readonly kind: 'delete'; readonly table: TableName; readonly key: readonly Value[] }

/** A read that asks for something. */
export type AnyRead = Read<unknown>

/** What is left for an engine to do. */
export interface TransactionSteps {
  /** The answers to reads of one snapshot, in their order; there is at least one read. */
  read(reads: readonly AnyRead[]): Promise<readonly unknown[]>
  commit(writes: readonly Write[]): Promise<void>
  rollback(): Promise<void>
}

/** Keeps the writes until the commit, and asks the engine for nothing that needs no asking. */
export class BufferedTransaction implements Transaction {
  readonly #steps: TransactionSteps
  readonly #writes: Write[] = []

  constructor(steps: TransactionSteps) {
    this.#steps = steps
  }

  async read<const Reads extends readonly Read<unknown>[]>(
    ...reads: Reads
  ): Promise<Answers<Reads>> {
    const asking = reads.filter(asksForSomething)
    const answers = asking.length === 0 ? [] : await this.#steps.read(asking)
    let next = 0
    const all = reads.map((read) => (asksForSomething(read) ? answers[next++] : []))
    return all as unknown as Answers<Reads>
  }

  insert<T extends TableName>(table: T, row: RowOf<T>): void {
    this.#writes.push({ kind: 'insert', table, row: row as AnyRow })
  }

  update<T extends TableName>(table: T, key: readonly Value[], change: Change<T>): void {
    const set = (change.set ?? {}) as AnyRow
    const add = (change.add ?? {}) as Readonly<Record<string, number>>
    this.#writes.push({ kind: 'update', table, key, set, add })
  }

  delete<T extends TableName>(table: T, key: readonly Value[]): void {
    this.#writes.push({ kind: 'delete', table, key })
  }

  async commit(): Promise<void> {
    await this.#steps.commit(this.#writes)
  }

  async rollback(): Promise<void> {
    await this.#steps.rollback()
  }
}

function asksForSomething(read: AnyRead): boolean {
  switch (read.kind) {
    case 'get':
      return true
    case 'getMany':
      return read.keys.length > 0
    case 'scan':
      return read.limit !== 0
    case 'scanEach':
      return read.firsts.length > 0
  }
}
