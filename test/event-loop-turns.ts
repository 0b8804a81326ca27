// SPDX-License-Identifier: Apache-2.0
import type { TestContext } from 'node:test'

/** Counts the turns of the event loop until the end of the test. */
export function nextTurns(t: Pick<TestContext, 'after'>): { readonly count: number } {
  const turns = { count: 0 }
  const next = (): void => {
    turns.count += 1
    counting = setImmediate(next)
  }
  let counting = setImmediate(next)
  t.after(() => clearImmediate(counting))
  return turns
}
