// SPDX-License-Identifier: Apache-2.0

/** Where the storage layer says what an operator should know; the server hands in its logger. */
export interface StorageLog {
  info(facts: Readonly<Record<string, unknown>>, message: string): void
  warn(facts: Readonly<Record<string, unknown>>, message: string): void
  error(facts: Readonly<Record<string, unknown>>, message: string): void
}

export const silentLog: StorageLog = {
  info() {},
  warn() {},
  error() {},
}
