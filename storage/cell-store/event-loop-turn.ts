// SPDX-License-Identifier: Apache-2.0

/** Lets everything else that waits have its turn; a long scan does so between two chunks. */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
