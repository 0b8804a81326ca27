// SPDX-License-Identifier: Apache-2.0

import { sharedStore } from '../embedded/embedded-store.ts'
import type { FilledStore } from '../embedded/filled-store.ts'
import { OPERATIONS } from '../embedded/operations.ts'
import { DURABLE_WRITE_SAMPLES, type Work, writing } from '../embedded/work.ts'
import type { Experiment } from '../harness/experiment.ts'
import { onShared } from '../harness/shared.ts'

const WITH = 'with the log'
const WITHOUT = 'without it'
const FOLLOWED = 'with the log, and followed'

/** What it costs writers that the change feed can be read and followed. */
export function feedLog(rows: number): Experiment {
  // One store each, so that none holds the versions of two contenders.
  const storeOf = (keepsLog: boolean) =>
    sharedStore({ rows, commit: 'one-phase', fill: 'transactions', keepsLog })
  return {
    name: 'feed-log',
    title: 'Durable one-cell transactions of 64 writers, with and without the log of commits',
    unit: 'transactions',
    ...DURABLE_WRITE_SAMPLES,
    // For as long V8 compiles what a transaction does.
    warmUpSeconds: 3,
    contenders: [
      onShared(WITHOUT, storeOf(false), writing(OPERATIONS.write.own, 64)),
      onShared(WITH, storeOf(true), writing(OPERATIONS.write.own, 64)),
      onShared(FOLLOWED, storeOf(true), (store) =>
        whileFollowed(store, writing(OPERATIONS.write.own, 64)(store)),
      ),
    ],
    goals: [
      { what: 'with the log / without it, durable', of: WITH, to: WITHOUT, must: 0.9, aim: 0.95 },
    ],
  }
}

/** Somebody is told of every commit, as the server's subscriptions are. */
function whileFollowed({ storage }: FilledStore, work: Work): Work {
  return async (seconds, signal) => {
    let told = 0
    let failure: unknown
    const follower = storage.feed.follow(await storage.feed.resolved(), {
      commit: ({ rows }) => {
        told += rows.length
      },
      failed: (error) => {
        failure = error
      },
    })
    try {
      const sample = await work(seconds, signal)
      if (failure !== undefined || told === 0)
        throw new Error('Nothing was told.', { cause: failure })
      return sample
    } finally {
      follower.stop()
    }
  }
}
