// SPDX-License-Identifier: Apache-2.0

/**
 * The rooms of `npm test`: the files below a folder run in one process, because a process of its own costs each file
 * half a second. The number is what a room may take, in seconds of one core's time, twice what it takes on an idle
 * machine. A folder belongs to the longest name that it begins with.
 */
export const ROOMS: Readonly<Record<string, number>> = {
  bench: 16,
  cli: 36,
  'client-sdk': 48,
  console: 4,
  engines: 4,
  examples: 2,
  parser: 20,
  planner: 36,
  server: 55,
  'server/access': 55,
  'server/audit': 20,
  'server/cells': 20,
  'server/http': 38,
  'server/observers': 20,
  'server/requests': 22,
  'server/rows': 14,
  'server/subscriptions': 24,
  'server/transactions': 12,
  'server/websocket': 14,
  storage: 44,
  'storage/cell-store': 44,
  'storage/transaction': 14,
  test: 50,
  'test/backup': 18,
  'test/guide': 12,
  'test/isolation': 30,
  'test/simulation': 30,
  'test/source': 18,
}

/** Random tests, which are short in `npm test` and have their full length in `npm run test:system`. */
export const RANDOM_TESTS: readonly string[] = [
  'server/access/random-definitions.test.ts',
  'server/access/two-principals.test.ts',
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
