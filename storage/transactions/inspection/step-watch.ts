// SPDX-License-Identifier: Apache-2.0
import type {
  CellStore,
  CheckAndMutate,
  ProtocolStep,
  RowMutations,
  RowStep,
  StepAnswer,
} from '../../cells/cell-store.ts'
import { decoratedStore } from '../../cells/decorated-cell-store.ts'
import {
  type EmbeddedCellStore,
  isEmbedded,
  type StepList,
} from '../../cells/embedded-cell-store.ts'
import type { Mutation } from '../../cells/mutation.ts'
import type { Note } from '../../cells/note.ts'
import { keyString } from '../../cells/row-key.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'

/** A mutation of a watched row, from its call on. */
export type WatchedMutation = {
  readonly row: Uint8Array
  readonly step: ProtocolStep
  /** Those that were applied; empty until they were. */
  mutations: readonly Mutation[]
}

/** Who watches some rows. All calls come in the turn in which the thing happens. */
export interface Watcher {
  /** A mutation that may take effect from now on. */
  called(mutation: WatchedMutation, all: readonly Mutation[]): void
  /** It has, or has changed nothing: then it has no mutations. */
  settled(mutation: WatchedMutation): void
}

/**
 * Tells of the mutations of rows, as this process applies them. While nobody watches, the cell store of the context is
 * the engine itself; with the first watcher a decorator takes its place, until the last one is gone.
 */
export class StepWatch {
  readonly #context: ProtocolContext
  readonly #engine: CellStore
  readonly #watchers = new Map<string, Set<Watcher>>()
  readonly #decorated: CellStore

  constructor(context: ProtocolContext) {
    const engine = context.cellStore
    this.#context = context
    this.#engine = engine
    this.#decorated = decoratedStore(engine, {
      checkAndMutateRow: (row, step) => this.#checkAndMutateRow(row, step),
      checkAndMutateRows: (steps) => this.#checkAndMutateRows(steps),
      mutateRows: (entries) => this.#mutateRows(entries),
      ...(isEmbedded(engine) && {
        applyAtomically: (batch: StepList, note?: Note) =>
          this.#applyAtomically(engine, batch, note),
      }),
    })
  }

  add(rows: readonly Uint8Array[], watcher: Watcher): void {
    for (const row of rows) {
      const key = keyString(row)
      const watchers = this.#watchers.get(key) ?? new Set()
      this.#watchers.set(key, watchers.add(watcher))
    }
    this.#context.cellStore = this.#decorated
  }

  remove(rows: readonly Uint8Array[], watcher: Watcher): void {
    for (const row of rows) {
      const key = keyString(row)
      const watchers = this.#watchers.get(key)
      watchers?.delete(watcher)
      if (watchers?.size === 0) this.#watchers.delete(key)
    }
    if (this.#watchers.size === 0) this.#context.cellStore = this.#engine
  }

  async #checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    const called = this.#called(row, step)
    if (called === undefined) return await this.#engine.checkAndMutateRow(row, step)
    let matched: boolean | undefined
    try {
      matched = await this.#engine.checkAndMutateRow(row, step)
      return matched
    } finally {
      called(appliedOf(step, matched))
    }
  }

  async #checkAndMutateRows(steps: readonly RowStep[]): Promise<StepAnswer[]> {
    const called = steps.map((step) => this.#called(step.row, step))
    let answers: readonly StepAnswer[] = []
    try {
      answers = await this.#engine.checkAndMutateRows(steps)
      return [...answers]
    } finally {
      for (const [at, settle] of called.entries()) {
        const matched = answers[at]
        const step = steps[at] as RowStep
        settle?.(appliedOf(step, typeof matched === 'boolean' ? matched : undefined))
      }
    }
  }

  async #mutateRows(entries: readonly RowMutations[]) {
    const called = entries.map(({ row, mutations, step }) =>
      this.#called(row, { when: [], ifMatched: [], otherwise: mutations, ...(step && { step }) }),
    )
    let errors: Awaited<ReturnType<CellStore['mutateRows']>> | undefined
    try {
      errors = await this.#engine.mutateRows(entries)
      return errors
    } finally {
      for (const [at, settle] of called.entries()) {
        settle?.(errors?.[at] === null ? (entries[at]?.mutations ?? []) : [])
      }
    }
  }

  async #applyAtomically(
    engine: EmbeddedCellStore,
    batch: StepList,
    note: Note | undefined,
  ): Promise<boolean[]> {
    const called = new Map<number, (matched: boolean | undefined) => void>()
    const look = (row: Uint8Array, step: CheckAndMutate, at: number) => {
      if (called.has(at)) return
      const settle = this.#called(row, step)
      if (settle !== undefined) called.set(at, (matched) => settle(appliedOf(step, matched)))
    }
    let matched: boolean[] | undefined
    try {
      matched = await engine.applyAtomically(lookedAt(batch, look), note)
      return matched
    } finally {
      for (const [at, settle] of called) settle(matched?.[at])
    }
  }

  /** What is to be called with the mutations that were applied; undefined for a row that nobody watches. */
  #called(row: Uint8Array, step: CheckAndMutate) {
    const watchers = this.#watchers.get(keyString(row))
    if (watchers === undefined) return undefined
    const all = [...step.ifMatched, ...step.otherwise]
    const mutation: WatchedMutation = { row, step: step.step ?? 'onePhase', mutations: [] }
    // Those that come later have not seen the call.
    const told = [...watchers]
    for (const watcher of told) watcher.called(mutation, all)
    return (applied: readonly Mutation[]) => {
      mutation.mutations = applied
      for (const watcher of told) watcher.settled(mutation)
    }
  }
}

/** Nothing where the answer was lost or a refusal: what became of it is not known, or it changed nothing. */
function appliedOf(step: CheckAndMutate, matched: boolean | undefined): readonly Mutation[] {
  if (matched === undefined) return []
  return matched ? step.ifMatched : step.otherwise
}

/** The same steps; those of a long batch are looked at when the engine asks for them. */
function lookedAt(
  batch: StepList,
  look: (row: Uint8Array, step: CheckAndMutate, at: number) => void,
): StepList {
  if (Array.isArray(batch)) {
    for (const [at, step] of batch.entries()) look(step.row, step, at)
    return batch
  }
  return { length: batch.length, [Symbol.iterator]: () => lookingAt(batch, look) }
}

function* lookingAt(
  batch: StepList,
  look: (row: Uint8Array, step: CheckAndMutate, at: number) => void,
): Generator<RowStep, undefined> {
  let at = 0
  for (const step of batch) {
    look(step.row, step, at)
    at += 1
    yield step
  }
}
