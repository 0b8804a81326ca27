// SPDX-License-Identifier: Apache-2.0

/**
 * Calls a function that only wants to be told. What it throws, or its promise rejects with, is not
 * heeded: it is about the telling, and has nothing to do with what goes on here.
 */
export function tell<Args extends readonly unknown[]>(
  listener: ((...args: Args) => unknown) | undefined,
  ...args: Args
): void {
  try {
    Promise.resolve(listener?.(...args)).catch(() => undefined)
  } catch {
    // Not heeded either.
  }
}
