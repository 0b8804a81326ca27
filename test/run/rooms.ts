// SPDX-License-Identifier: Apache-2.0

/**
 * The rooms of `npm test`: the files below a folder run in one process, because a process of its own costs each file
 * half a second. The number is what a room may take, in seconds of one core's time, half as much again as on an
 * idle machine. A folder belongs to the longest name that it begins with.
 */
export const ROOMS: Readonly<Record<string, number>> = {
  bench: 13,
  cli: 42,
  'client-sdk': 45,
  console: 3,
  engines: 3,
  examples: 1,
  parser: 18,
  planner: 35,
  server: 70,
  'server/guard/access': 58,
  'server/guard/audit': 11,
  'server/live/cells': 17,
  'server/doors/http': 39,
  'server/live/observers': 17,
  'server/requests/prepared': 19,
  'server/requests/rows': 11,
  'server/live/subscriptions': 19,
  'server/requests/transactions': 9,
  'server/doors/websocket': 11,
  storage: 31,
  'storage/cells': 44,
  'storage/transactions': 20,
  test: 88,
  'test/backup': 13,
  'test/guide': 10,
  'test/isolation': 30,
  'test/simulation': 29,
  'test/source': 13,
}

/** Random tests, which are short in `npm test` and have their full length in `npm run test:system`. */
export const RANDOM_TESTS: readonly string[] = [
  'server/guard/access/random-definitions.test.ts',
  'server/guard/access/two-principals.test.ts',
  'test/differential/differential.test.ts',
  'test/simulation/simulation.test.ts',
  'test/work/statement-work.test.ts',
]

export const FULL_LENGTH: Readonly<Record<string, string>> = {
  DIFFERENTIAL_SECONDS: '15',
  PRINCIPALS_SEEDS: '1,2',
  PRINCIPALS_STEPS: '60',
  SIMULATION_SEEDS: '30',
  TWO_PRINCIPALS_SEEDS: '1,2',
  TWO_PRINCIPALS_STEPS: '250',
  WORK_STATEMENTS: '60',
}

/** Every room together: six minutes on two cores. */
export const PROCESSOR_SECONDS_MAX = 6 * 60 * 2

/** The room of a file; undefined if no room has its folder. */
export function roomOf(file: string): string | undefined {
  return Object.keys(ROOMS)
    .filter((room) => file.startsWith(`${room}/`))
    .sort((a, b) => b.length - a.length)[0]
}
