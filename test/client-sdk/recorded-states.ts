// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Collection } from '@tanstack/db'

const UNTIL_MS = 10_000

/** Every state of a collection that a subscriber of it sees, as `look` shows the rows, one after the other. */
export function recordStates<R extends object, Shown>(
  t: Pick<TestContext, 'after'>,
  // biome-ignore lint/suspicious/noExplicitAny: of any key and utils.
  collection: Collection<R, any, any, any, any>,
  look: (rows: R[]) => Shown,
) {
  const states: Shown[] = []
  let changed = Promise.withResolvers<void>()
  const subscription = collection.subscribeChanges(
    () => {
      states.push(look(collection.toArray as R[]))
      changed.resolve()
      changed = Promise.withResolvers()
    },
    { includeInitialState: true },
  )
  t.after(() => {
    subscription.unsubscribe()
    return collection.cleanup()
  })
  return {
    states,
    /** Resolves to the rows as they are shown, as soon as they are so, or now. */
    async until(condition: (shown: Shown) => boolean): Promise<Shown> {
      const late = AbortSignal.timeout(UNTIL_MS)
      while (true) {
        const shown = look(collection.toArray as R[])
        if (condition(shown)) return shown
        assert.ok(!late.aborted, `it shows ${JSON.stringify(shown)}`)
        const waiting = Promise.withResolvers<void>()
        late.addEventListener('abort', () => waiting.resolve())
        await Promise.race([changed.promise, waiting.promise])
      }
    },
  }
}
