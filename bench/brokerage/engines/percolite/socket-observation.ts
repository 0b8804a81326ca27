// SPDX-License-Identifier: Apache-2.0
import type { Observation, ObserverFailed, ObserverRun, Session } from '../../engine.ts'
import type { Value } from '../../schema/table-shape.ts'
import { BufferedTransaction } from '../buffered-transaction.ts'
import { InteractiveSteps } from './percolite-steps.ts'
import { QuerySocket, type SocketFrame } from './query-socket.ts'

const OBSERVATION_ID = 'observation'
const WORKERS = 4

/** A run goes on no more, because the server is gone that gave it out; the next one gives it out again. */
class ObservationEnded extends Error {}

/** A worker of an observer, as any program can be one: over a socket, on which its transactions go too. */
export class SocketObservation implements Observation {
  readonly #socket: QuerySocket
  readonly #run: ObserverRun
  readonly #runs = new Set<Promise<void>>()
  #releases = 0
  #isOver = false
  readonly #failed: ObserverFailed

  constructor(
    origin: string,
    observer: string,
    { run, failed }: { readonly run: ObserverRun; readonly failed: ObserverFailed },
  ) {
    this.#run = run
    this.#failed = failed
    this.#socket = new QuerySocket(origin, (frame) => this.#heard(frame))
    this.#socket.send({ type: 'observe', id: OBSERVATION_ID, observer, workers: WORKERS })
  }

  async stop(): Promise<void> {
    this.#socket.send({ type: 'unobserve', id: OBSERVATION_ID })
    await Promise.all(this.#runs)
    await this.#socket.close()
  }

  /** The server is gone: what runs for it comes to its end. */
  abandon(): void {
    this.#isOver = true
  }

  #heard(frame: SocketFrame): void {
    // A release that comes too late is answered by an error, too.
    if (frame.type === 'error' && frame.id === OBSERVATION_ID) {
      this.#failed(new Error(JSON.stringify(frame)))
    }
    if (frame.type !== 'notification') return
    const run = this.#runFor(String(frame.notification), frame.key as readonly Value[]).finally(
      () => this.#runs.delete(run),
    )
    this.#runs.add(run)
  }

  async #runFor(notification: string, key: readonly Value[]): Promise<void> {
    try {
      await this.#run(this.#sessionOf(notification), key)
    } catch (error) {
      if (error instanceof ObservationEnded) return
      this.#failed(error)
    }
    // Of no effect when a transaction of the run has committed.
    this.#releases += 1
    this.#socket.send({ type: 'release', id: `release ${this.#releases}`, notification })
  }

  #sessionOf(notification: string): Session {
    return {
      begin: async () => {
        if (this.#isOver) throw new ObservationEnded()
        return new BufferedTransaction(new InteractiveSteps(this.#socket, { notification }))
      },
      close: async () => {},
    }
  }
}
