// SPDX-License-Identifier: Apache-2.0
import { type CellStore, requireAnswers } from '../../cells/cell-store.ts'
import { deletePlain, replacePlainRow, setPlain } from '../../cells/plain-row.ts'
import { keyString } from '../../cells/row-key.ts'
import { type Clock, repeat } from '../../clock.ts'
import { UnchangedValues } from '../../collections/unchanged-values.ts'
import type { StorageLog } from '../../storage-log.ts'
import { askedAgain, NEVER_ABORTED } from '../../transactions/oracle/asked-again.ts'
import {
  encodeRange,
  type FoundRange,
  NO_COUNTS,
  type Phase,
  type RangeCounts,
  type RangeState,
  rangeRow,
  type SharedCollection,
  scanRangeRows,
} from './range-row.ts'

/** Ranges of one collection; a range that was left is gone on with where its last renewal was. */
const RANGES_MAX = 512
/** Ranges that one gateway works on at a time. */
const AT_ONCE = 4
/** A claim whose bytes stay the same for so long, on the clock of whoever looks, is that of a gateway that ended. */
export const CLAIM_MS = 60_000
/** How often a gateway looks that waits for what others have claimed. */
const LOOK_MS = 15_000
/** Rows that nobody has touched for so long are of a gateway that ended. */
const FORGOTTEN_MS = 3_600_000

/** What is left of a range; an absent end is that of the store. */
export type Range = { readonly start: Uint8Array; readonly end?: Uint8Array }

/** Calls `reached` with the counts so far and where it goes on, after each page. */
export type RangeWork = (
  range: Range,
  signal: AbortSignal,
  reached: (next: Uint8Array, counts: RangeCounts) => void,
) => Promise<RangeCounts>

type Dependencies = {
  readonly cellStore: CellStore
  readonly clock: Clock
  readonly log: StorageLog
  readonly incarnation: string
}

/**
 * The ranges of collections, which the gateways that live divide among themselves by claims. A claim is a courtesy: two
 * that work on one range at the same time do no harm. That a range is done is none: only who did it says so (G2).
 */
export class SharedRanges {
  readonly #deps: Dependencies
  readonly #seen: UnchangedValues

  constructor(deps: Dependencies) {
    this.#deps = deps
    this.#seen = new UnchangedValues(deps.clock)
  }

  /**
   * Has the work done in each range between these points, here and by whoever helps. Resolves when all are done, to
   * what was counted in them. Rejects as the work does, with CellStoreError, and where another took its rows away.
   */
  async run(
    collection: SharedCollection,
    phase: Phase,
    {
      points,
      work,
      signal,
    }: { points: readonly Uint8Array[]; work: RangeWork; signal: AbortSignal },
  ): Promise<RangeCounts> {
    const starts = [new Uint8Array(), ...thinned(points)]
    const entries = starts.map((start, at) => {
      const state = { worker: '', beat: 0, start, end: starts[at + 1] ?? new Uint8Array() }
      const value = { ...state, ...NO_COUNTS, isDone: false }
      const [from, to] = [base64(state.start), base64(state.end)]
      const mutations = [setPlain(encodeRange({ ...value, start: from, end: to }))]
      return { row: rangeRow(collection, phase, at), mutations }
    })
    await this.#write(entries)
    const isOwn = (found: FoundRange) =>
      found.safePoint === collection.safePoint && found.phase === phase
    for (;;) {
      const rows = await this.#rowsOf(collection.owner, isOwn)
      // One that is missing is not one that is done (G2).
      if (rows.length !== entries.length) throw new Error('the ranges of the collection are gone')
      if (rows.every(({ state }) => state.isDone)) return totalOf(rows)
      const hasWorked = await this.#workOn(rows, () => work, signal)
      if (!hasWorked) await this.#deps.clock.sleep(LOOK_MS, signal)
    }
  }

  /**
   * Works on what the collections of others have left to do, until they have ended. `workOf` resolves to undefined for
   * one that has been overtaken. Rejects as the work does, and with CellStoreError.
   */
  async help(
    workOf: (collection: SharedCollection) => Promise<((phase: Phase) => RangeWork) | undefined>,
    signal: AbortSignal,
  ): Promise<void> {
    const known = new Map<string, ((phase: Phase) => RangeWork) | undefined>()
    for (;;) {
      const rows = await this.#rowsOf('', ({ owner }) => owner !== this.#deps.incarnation)
      for (const { owner, safePoint } of rows) {
        const name = nameOf({ owner, safePoint })
        if (!known.has(name)) known.set(name, await workOf({ owner, safePoint }))
      }
      const open = rows.filter((row) => known.get(nameOf(row)) !== undefined && !this.#isLost(row))
      if (open.length === 0) return
      const work = (row: FoundRange) => known.get(nameOf(row))?.(row.phase) as RangeWork
      if (!(await this.#workOn(open, work, signal))) await this.#deps.clock.sleep(LOOK_MS, signal)
    }
  }

  /** Takes away the rows of this gateway, and those that were left behind. Rejects with CellStoreError. */
  async clear(): Promise<void> {
    const rows = await this.#rowsOf('', ({ owner, key }) => {
      return owner === this.#deps.incarnation || this.#unchangedMs(key) > FORGOTTEN_MS
    })
    await this.#write(rows.map(({ key: row }) => ({ row, mutations: [deletePlain()] })))
  }

  async #rowsOf(owner: string, isWanted: (row: FoundRange) => boolean): Promise<FoundRange[]> {
    const askedMs = this.#deps.clock.monotonicMs()
    const rows = await Array.fromAsync(scanRangeRows(this.#deps.cellStore, owner))
    for (const { key, value } of rows) this.#seen.saw(keyString(key), value, askedMs)
    return rows.filter(isWanted)
  }

  /** Some at a time; resolves to whether there was one to be claimed. */
  async #workOn(
    rows: readonly FoundRange[],
    workOf: (row: FoundRange) => RangeWork,
    signal: AbortSignal,
  ): Promise<boolean> {
    const claimable = rows.filter((row) => this.#isClaimable(row))
    // Each gateway begins elsewhere, or all would claim the same one.
    const first = Number.parseInt(this.#deps.incarnation.slice(0, 8), 16) % (claimable.length || 1)
    const queue = [...claimable.slice(first), ...claimable.slice(0, first)]
    let hasWorked = false
    const lane = async () => {
      for (let row = queue.shift(); row !== undefined; row = queue.shift()) {
        if (await this.#workOnOne(row, workOf(row), signal)) hasWorked = true
      }
    }
    await allSettled(Array.from({ length: AT_ONCE }, lane))
    return hasWorked
  }

  #isClaimable({ key, state }: FoundRange): boolean {
    if (state.isDone) return false
    return state.worker === '' || this.#unchangedMs(key) > CLAIM_MS
  }

  /** Whether nobody has been at it for so long that whoever began the collection has ended as well. */
  #isLost({ key, state }: FoundRange): boolean {
    return state.isDone && this.#unchangedMs(key) > 2 * CLAIM_MS
  }

  #unchangedMs(key: Uint8Array): number {
    return this.#seen.unchangedMs(keyString(key))
  }

  /** Resolves to whether the range could be claimed. */
  async #workOnOne(row: FoundRange, work: RangeWork, signal: AbortSignal): Promise<boolean> {
    const { clock, log, incarnation } = this.#deps
    const { start, end, beat, ...before } = row.state
    let state: RangeState = { ...row.state, worker: incarnation, beat: beat + 1 }
    let held = encodeRange(state)
    if (!(await this.#replace(row, row.value, held))) return false
    const [lost, ending] = [new AbortController(), new AbortController()]
    const renewing = repeat(clock, {
      everyMs: CLAIM_MS / 3,
      signal: ending.signal,
      work: async () => {
        state = { ...state, beat: state.beat + 1 }
        const renewed = encodeRange(state)
        if (await this.#replace(row, held, renewed)) held = renewed
        else lost.abort()
      },
      failed: (error) => log.warn({ error: String(error) }, 'the claim of a range was not renewed'),
    })
    try {
      const range = { start: bytesOf(start), ...(end && { end: bytesOf(end) }) }
      const both = AbortSignal.any([signal, lost.signal])
      const counts = await work(range, both, (next, soFar) => {
        state = { ...state, start: base64(next), ...sumOf(before, soFar) }
      })
      ending.abort()
      await renewing
      // Where another has claimed it meanwhile, that one says when it is done (G2).
      const done = { ...state, ...sumOf(before, counts), isDone: true }
      await this.#replace(row, held, encodeRange(done))
    } catch (error) {
      if (signal.aborted || !lost.signal.aborted) throw error
    } finally {
      ending.abort()
      await renewing
    }
    return true
  }

  /** False also where it was done, and its answer was lost: the claim is taken for that of another then. */
  async #replace({ key }: FoundRange, found: Uint8Array, value: Uint8Array): Promise<boolean> {
    const { cellStore, clock } = this.#deps
    const replace = () => replacePlainRow(cellStore, key, found, value)
    return await askedAgain(clock, NEVER_ABORTED, replace)
  }

  async #write(entries: Parameters<CellStore['mutateRows']>[0]): Promise<void> {
    await askedAgain(this.#deps.clock, NEVER_ABORTED, async () => {
      requireAnswers(await this.#deps.cellStore.mutateRows(entries))
    })
  }
}

/** Waits for all, and rejects as the first that did. */
async function allSettled(lanes: ReadonlyArray<Promise<void>>): Promise<void> {
  const settled = await Promise.allSettled(lanes)
  const failed = settled.find((lane) => lane.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** At most as many points as make `RANGES_MAX` ranges, of similar size still. */
function thinned(points: readonly Uint8Array[]): Uint8Array[] {
  const each = Math.ceil((points.length + 1) / RANGES_MAX)
  return points.filter((_, at) => (at + 1) % each === 0)
}

function sumOf(one: RangeCounts, other: RangeCounts): RangeCounts {
  return {
    examined: one.examined + other.examined,
    collected: one.collected + other.collected,
    held: one.held + other.held,
  }
}

function totalOf(rows: readonly FoundRange[]): RangeCounts {
  return rows.reduce((total: RangeCounts, { state }) => sumOf(total, state), NO_COUNTS)
}

function nameOf({ owner, safePoint }: SharedCollection): string {
  return `${owner}/${safePoint}`
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'base64')
}
