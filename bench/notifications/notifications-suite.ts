// SPDX-License-Identifier: Apache-2.0
import type { Suite } from '../harness/experiment.ts'
import { oneCommit } from './one-commit.ts'
import { scanning } from './scanning.ts'

/** What the paper says of notifications (2.4), beside weak and strong ones, which are in `feed`. */
export const notificationsSuite: Suite = {
  title: 'Notifications: how they are found, and that each change is run once',
  defaults: { seconds: 3, repetitions: 5 },
  experiments: () => [scanning(), oneCommit()],
  notes: ['Everything runs in one process. What is acknowledged is on disk.'],
}
