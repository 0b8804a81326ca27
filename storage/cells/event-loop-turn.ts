// SPDX-License-Identifier: Apache-2.0

/**
 * Resolves in a later turn of the event loop, so that other work runs first; a long scan waits for it between two
 * chunks.
 */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
