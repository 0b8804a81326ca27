// SPDX-License-Identifier: Apache-2.0
import type { TestServer } from '../server/test-server.ts'
import type { Name } from './scenario.ts'

/** Where a scenario runs: which server each transaction talks to, and how time passes. */
export interface World {
  serverOf(name: Name): TestServer
  /** Every server that lives. */
  living(): readonly TestServer[]
  /** Waits for an answer, letting time pass where the test owns the clocks. */
  settled<T>(answer: Promise<T>): Promise<T>
  letTimePass(ms: number): Promise<void>
  /** One of the living collects garbage. */
  collectGarbage(): Promise<void>
  /** The gateway of this transaction dies in the middle of the commit that is sent to it here. */
  dieDuring(name: Name, transaction: string, commit: () => Promise<unknown>): Promise<void>
}
