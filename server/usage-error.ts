// SPDX-License-Identifier: Apache-2.0

/** A mistake in the command line or the environment; its message is one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
