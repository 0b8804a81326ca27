// SPDX-License-Identifier: Apache-2.0
import { type Mutant, mutant } from '../mutants/mutant.ts'

const WATCH = 'storage/transactions/protocol/tokens/token-watch.ts'
const LIVENESS = 'storage/transactions/protocol/liveness.ts'

const RANGES = 'storage/operations/garbage-collection/shared-ranges.ts'

const LIFE = '    const hasEnded = unchangedMs > token.lifeMs && name !== this.#own\n'
const EXPIRES = 'token.renewedAt + token.lifeMs * 1_000'
const caughtBy = { script: 'gatewaysLiveWithClocksApart' } as const

/** Who lives of several gateways, and what they share out among each other. */
export const SHARED_WORK_MUTANTS: readonly Mutant[] = [
  mutant({
    name: 'lifeByWallClock',
    what: 'a token is compared with the wall clock of who reads it (L1)',
    file: WATCH,
    find: LIFE,
    replace: `    const hasEnded = ${EXPIRES} < this.#clock.wallMicros() && name !== this.#own\n`,
    caughtBy,
  }),
  mutant({
    name: 'sameTokenAgain',
    what: 'a token that is renewed does not change (L1)',
    file: LIVENESS,
    find: '      ...{ lifeMs, renewal: this.#renewal, renewedAt },\n',
    replace: '      ...{ lifeMs, renewal: 1, renewedAt: 1 },\n',
    more: [
      {
        file: LIVENESS,
        find: "    invariant(!this.#written.equals(token), 'L1', { lifeMs, renewedAt })\n",
        replace: '',
      },
    ],
    caughtBy,
  }),
  mutant({
    name: 'livesForEver',
    what: 'a token counts for as long as it is there',
    file: WATCH,
    find: LIFE,
    replace: '    const hasEnded = false\n',
    caughtBy,
  }),
  mutant({
    name: 'claimedRangeIsDone',
    what: 'a collection goes on while another gateway works on a range (G2)',
    file: RANGES,
    find: 'rows.every(({ state }) => state.isDone)',
    replace: "rows.every(({ state }) => state.isDone || state.worker !== '')",
    caughtBy: { seedsMax: 100, bias: 'collecting' },
  }),
  mutant({
    name: 'lastRangeSkipped',
    what: 'the range behind the last split point is empty',
    file: RANGES,
    find: 'end: starts[at + 1] ?? new Uint8Array()',
    replace: 'end: starts[at + 1] ?? start',
    caughtBy: { seedsMax: 100, bias: 'collecting' },
  }),
]
