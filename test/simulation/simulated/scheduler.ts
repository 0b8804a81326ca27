// SPDX-License-Identifier: Apache-2.0
import { EventQueue } from './event-queue.ts'
import type { SimulatedProcess } from './simulated-process.ts'

type Scheduled = {
  readonly name: string
  /** The process that it happens to; the network and the store when absent. */
  readonly process: SimulatedProcess | undefined
  readonly run: () => void
}

/**
 * Virtual time. Events run one by one in the order of their times, and each is followed by one turn
 * of the real event loop, in which everything that it set off comes to rest; so a run depends on
 * nothing but its seed. What happens to a dead process is dropped, to a paused one put off.
 */
export class Scheduler {
  readonly #queue = new EventQueue<Scheduled>()
  readonly #trace: ((line: string) => void) | undefined
  readonly #idleTurnsMax: number
  #nowMs = 0
  #events = 0
  #hash = 0x811c9dc5

  /**
   * Work that lets others have their turn, as a scan does between two chunks, waits for no event: it
   * goes on while virtual time passes, by a turn for each few idle milliseconds, up to so many.
   */
  constructor(trace?: (line: string) => void, idleTurnsMax = 0) {
    this.#trace = trace
    this.#idleTurnsMax = idleTurnsMax
  }

  get nowMs(): number {
    return this.#nowMs
  }

  get events(): number {
    return this.#events
  }

  /** A digest of everything that was noted, in its order: two equal runs have the same. */
  get traceHash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0')
  }

  after(ms: number, name: string, run: () => void, process?: SimulatedProcess): void {
    this.#queue.add(this.#nowMs + Math.max(0, ms), { name, process, run })
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, 'wake', resolve))
  }

  /** Makes a fact part of the trace, and of its digest. */
  note(fact: string): void {
    const line = `${this.#nowMs.toFixed(3)} ${fact}`
    let hash = this.#hash
    for (let at = 0; at < line.length; at += 1) {
      hash = Math.imul(hash ^ line.charCodeAt(at), 0x01000193)
    }
    this.#hash = hash
    this.#trace?.(line)
  }

  /**
   * Runs until `isOver` says so between two events. Rejects when `eventsMax` is reached first, or
   * when nothing is left to happen.
   */
  run(isOver: () => boolean, eventsMax: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let idleTurns = 0
      const turn = () => {
        try {
          if (isOver()) return resolve()
          if (this.#events >= eventsMax) throw new SimulationStuck('too many events', this.#nowMs)
          const idleMs = this.#queue.nextAtMs - this.#nowMs
          const turnsMax = idleMs === Infinity ? LAST_TURNS : this.#idleTurnsMax
          if (idleTurns < Math.min(idleMs / TURN_MS, turnsMax)) idleTurns += 1
          else {
            idleTurns = 0
            this.#step()
          }
          setImmediate(turn)
        } catch (error) {
          reject(error)
        }
      }
      setImmediate(turn)
    })
  }

  #step(): void {
    for (;;) {
      const event = this.#queue.take()
      if (event === undefined) throw new SimulationStuck('nothing left to happen', this.#nowMs)
      const { process, name, run } = event.item
      if (process?.isDead) continue
      this.#nowMs = Math.max(this.#nowMs, event.atMs)
      if (process !== undefined && process.pausedUntilMs > this.#nowMs) {
        this.#queue.add(process.pausedUntilMs, event.item)
        continue
      }
      this.#events += 1
      this.note(process === undefined ? name : `${process.name} ${name}`)
      run()
      return
    }
  }
}

/** The run did not come to its end: somebody waits for ever, or never stops. */
export class SimulationStuck extends Error {
  override readonly name = 'SimulationStuck'

  constructor(why: string, nowMs: number) {
    super(`The run is stuck at ${nowMs.toFixed(0)} ms of virtual time: ${why}.`)
  }
}

const TURN_MS = 5
/** When no event is left, whoever still works has so many turns before the run counts as stuck. */
const LAST_TURNS = 1_000
