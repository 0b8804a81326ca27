// SPDX-License-Identifier: Apache-2.0
import type { Engine, Session } from '../engine.ts'

/** Lends a number of sessions, in the order in which they are asked for. */
export class SessionPool {
  readonly #all: readonly Session[]
  readonly #free: Session[]
  readonly #waiting: Array<(session: Session) => void> = []

  private constructor(sessions: readonly Session[]) {
    this.#all = sessions
    this.#free = [...sessions]
  }

  static async open(engine: Pick<Engine, 'connect'>, count: number): Promise<SessionPool> {
    return new SessionPool(await Promise.all(Array.from({ length: count }, () => engine.connect())))
  }

  async use<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const session =
      this.#free.pop() ?? (await new Promise<Session>((resolve) => this.#waiting.push(resolve)))
    try {
      return await work(session)
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free.push(session)
      else next(session)
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((session) => session.close()))
  }
}
