// SPDX-License-Identifier: Apache-2.0

/**
 * The rooms of `npm test`: the files below a folder run in one process, because a process of its own costs each file
 * half a second. The number is what a room may take, in seconds of one core's time, half as much again as on an
 * idle machine. A folder belongs to the longest name that it begins with.
 */
export const ROOMS: Readonly<Record<string, number>> = {
  bench: 11,
  cli: 38,
  'client-sdk': 42,
  console: 3,
  engines: 4,
  examples: 5,
  parser: 14,
  planner: 34,
  server: 66,
  'server/guard/access': 48,
  'server/guard/audit': 11,
  'server/live/cells': 17,
  'server/doors/http': 39,
  'server/live/observers': 14,
  'server/live/relays': 14,
  'server/requests/prepared': 16,
  'server/requests/rows': 11,
  'server/live/subscriptions': 28,
  'server/requests/transactions': 9,
  'server/doors/websocket': 13,
  storage: 37,
  'storage/cells': 40,
  'storage/transactions': 20,
  test: 86,
  'test/backup': 16,
  'test/guide': 13,
  'test/isolation': 17,
  'test/simulation': 24,
  'test/source': 12,
}

/** Random tests, which are short in `npm test` and have their full length in `npm run test:system`. */
export const RANDOM_TESTS: readonly string[] = [
  'server/guard/access/random-definitions.test.ts',
  'server/guard/access/two-principals.test.ts',
  'server/live/subscriptions/results/random-results.test.ts',
  'test/differential/differential.test.ts',
  'test/simulation/mutants/mutants.test.ts',
  'test/simulation/simulation.test.ts',
  'test/work/statement-work.test.ts',
]

export const FULL_LENGTH: Readonly<Record<string, string>> = {
  DIFFERENTIAL_SECONDS: '15',
  LIVE_SEEDS: '5',
  LIVE_STATES: '1500',
  PRINCIPALS_SEEDS: '1,2',
  PRINCIPALS_STEPS: '60',
  SIMULATION_SEEDS: '30',
  TWO_PRINCIPALS_SEEDS: '1,2',
  TWO_PRINCIPALS_STEPS: '250',
  WORK_STATEMENTS: '60',
}

/** Every room together: six minutes on two cores. */
export const PROCESSOR_SECONDS_MAX = 6 * 60 * 2

/**
 * How much more than their budgets the rooms take, in the middle; at least 1. A machine that is slow today is so for
 * all of them, and a room that has grown is above the others.
 */
export function slownessOf(seconds: ReadonlyMap<string, number>): number {
  const ratios = [...seconds].map(([room, used]) => used / (ROOMS[room] ?? 1)).sort((a, b) => a - b)
  return Math.max(1, ratios[Math.floor(ratios.length / 2)] ?? 1)
}

/** The room of a file; undefined if no room has its folder. */
export function roomOf(file: string): string | undefined {
  return Object.keys(ROOMS)
    .filter((room) => file.startsWith(`${room}/`))
    .sort((a, b) => b.length - a.length)[0]
}
