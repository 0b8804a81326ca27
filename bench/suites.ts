// SPDX-License-Identifier: Apache-2.0
import type { RunnableSuite } from './harness/run-suite.ts'

/** What `npm run bench -- <name>` can run; a suite is loaded only when it is asked for. */
export const SUITES: Readonly<Record<string, () => Promise<RunnableSuite>>> = {
  micro: async () => (await import('./micro/micro.ts')).microSuite,
  engines: async () => (await import('./engines/engines-suite.ts')).enginesSuite,
  recovery: async () => (await import('./recovery/recovery-suite.ts')).recoverySuite,
  http: async () => (await import('./http/http-suite.ts')).httpSuite,
  peers: async () => (await import('./peers/peers-suite.ts')).peersSuite,
  ycsb: async () => (await import('./ycsb/ycsb-suite.ts')).ycsbSuite,
  files: async () => (await import('./files/files-suite.ts')).filesSuite,
  scale: async () => (await import('./scale/scale.ts')).scaleSuite,
  brokerage: async () => (await import('./brokerage/brokerage-suite.ts')).brokerageSuite,
  clustering: async () => (await import('./clustering/clustering-suite.ts')).clusteringSuite,
  feed: async () => (await import('./feed/feed-suite.ts')).feedSuite,
  notifications: async () =>
    (await import('./notifications/notifications-suite.ts')).notificationsSuite,
  paper: async () => (await import('./paper/paper-suite.ts')).paperSuite,
  pairs: async () => (await import('./pairs/pairs-suite.ts')).pairsSuite,
  'second-copy': async () => (await import('./second-copy/second-copy-suite.ts')).secondCopySuite,
  'index-build': async () => (await import('./index-build/index-build-suite.ts')).indexBuildSuite,
}
