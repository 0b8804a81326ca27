// SPDX-License-Identifier: Apache-2.0

/** A signal that Ctrl-C aborts, once: the second one ends the process as ever. Call `done` at the end. */
export function endedByInterrupt(): { readonly signal: AbortSignal; readonly done: () => void } {
  const ending = new AbortController()
  const end = () => ending.abort()
  process.once('SIGINT', end)
  return { signal: ending.signal, done: () => process.off('SIGINT', end) }
}
