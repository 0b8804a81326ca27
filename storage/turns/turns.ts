// SPDX-License-Identifier: Apache-2.0

/** Resolves in a later turn of the event loop, so that other work runs first: to be awaited between two chunks. */
export { setImmediate as nextTurn } from 'node:timers/promises'

/** Does this work when the turn of the event loop is over in which it was asked for, with all else that was. */
export const afterTurn: (work: () => void) => void = setImmediate
