// SPDX-License-Identifier: Apache-2.0
import { PercoliteError } from '../errors.ts'

type Waiting = {
  readonly stamp: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/**
 * Up to which stamp the rows of a collection have come, and who waits for that. The feed is told in the order of its
 * commits: whoever has written at 12 is in the rows as soon as they are as of 12 or later, and not before.
 */
export class AppliedStamp {
  readonly #waiting = new Set<Waiting>()
  #stamp = Number.NEGATIVE_INFINITY
  #end: { readonly error?: Error } | undefined

  get stamp(): number {
    return this.#stamp
  }

  /** The newest that is waited for; undefined where nothing is. */
  get wanted(): number | undefined {
    return this.#waiting.size === 0
      ? undefined
      : Math.max(...[...this.#waiting].map(({ stamp }) => stamp))
  }

  /** The rows are as of this stamp. */
  reach(stamp: number): void {
    this.#stamp = Math.max(this.#stamp, stamp)
    for (const one of this.#waiting) if (one.stamp <= this.#stamp) one.resolve()
  }

  /** They come no further; with an error, that is what a commit is reported with that they have not reached. */
  end(error?: Error): void {
    this.#end = error === undefined ? {} : { error }
    for (const { stamp, resolve, reject } of this.#waiting) {
      if (error === undefined) resolve()
      else reject(unseen(stamp, error.message, error))
    }
  }

  /**
   * Resolves when the rows are as of the stamp, or nobody looks at them any more. Rejects when they have ended with an
   * error, and after `waitMs` where that is given: with a PercoliteError that is `committed`.
   */
  async until(stamp: number, waitMs?: number): Promise<void> {
    if (stamp <= this.#stamp) return
    if (this.#end !== undefined) {
      if (this.#end.error === undefined) return
      throw unseen(stamp, this.#end.error.message, this.#end.error)
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = { stamp, resolve, reject }
    this.#waiting.add(waiting)
    const late = () => reject(unseen(stamp, `they have not come within ${waitMs} ms`))
    const timer = waitMs === undefined ? undefined : setTimeout(late, waitMs)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(waiting)
    }
  }
}

function unseen(commitTimestamp: number, why: string, cause?: Error): PercoliteError {
  return new PercoliteError({
    code: 'request_timed_out',
    message: `The write was committed at ${commitTimestamp}, but the collection has no rows as of then: ${why}`,
    fields: { committed: true, commitTimestamp },
    cause,
  })
}
