// SPDX-License-Identifier: Apache-2.0

/**
 * One run of a gateway's process. When it crashes, its calls never return and its clock never wakes;
 * while it is paused, whatever happens to it waits, and what it sends leaves afterwards.
 */
export class SimulatedProcess {
  readonly name: string
  readonly #whenCrashed = new Set<(reason: ProcessCrashed) => void>()
  #pausedUntilMs = 0
  #isDead = false

  constructor(name: string) {
    this.name = name
  }

  get isDead(): boolean {
    return this.#isDead
  }

  get pausedUntilMs(): number {
    return this.#pausedUntilMs
  }

  pauseUntil(atMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, atMs)
  }

  /** Clients that wait for an answer learn that none will come. */
  crash(): void {
    if (this.#isDead) return
    this.#isDead = true
    for (const told of this.#whenCrashed) told(new ProcessCrashed(this.name))
    this.#whenCrashed.clear()
  }

  /** Settles as `answer` does, or rejects with ProcessCrashed when the process dies first. */
  answered<T>(answer: Promise<T>): Promise<T> {
    if (this.#isDead) return Promise.reject(new ProcessCrashed(this.name))
    return new Promise((resolve, reject) => {
      this.#whenCrashed.add(reject)
      const over = () => this.#whenCrashed.delete(reject)
      answer.then(
        (value) => {
          over()
          resolve(value)
        },
        (error) => {
          over()
          reject(error)
        },
      )
    })
  }
}

export class ProcessCrashed extends Error {
  override readonly name = 'ProcessCrashed'

  constructor(process: string) {
    super(`The process ${process} crashed.`)
  }
}
