// SPDX-License-Identifier: Apache-2.0
import { test } from 'node:test'
import { comparePrincipals } from '../../../test/access/principals/campaign.ts'

// Random tables, grants, rules and statements of two principals, and changes of all of them in between: what the first
// is answered by every way is what a server with only its rows answers.

const STEPS = Number(process.env.PRINCIPALS_STEPS ?? 30)
const SEEDS = (process.env.PRINCIPALS_SEEDS ?? '1').split(',').map(Number)

for (const seed of SEEDS) {
  test(`random definitions, ${STEPS} steps, seed ${seed}: no other rows show in any answer`, async (t) => {
    await comparePrincipals(t, { seed, steps: STEPS })
  })
}
