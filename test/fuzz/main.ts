// SPDX-License-Identifier: Apache-2.0
import { parseArgs } from 'node:util'
import { fuzz, TARGETS } from './fuzzing.ts'

// Fuzzes for as long as it is told, in rounds over all targets, each with a seed of its own:
//     npm run test:fuzz -- --seconds 30 [--target bodies] [--seed 7]
// With a seed, the one target runs once, with the inputs that it had in that round.

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    target: { type: 'string' },
    seed: { type: 'string' },
  },
})
const targets = flags.target === undefined ? Object.keys(TARGETS) : [flags.target]
const unknown = targets.find((name) => !Object.hasOwn(TARGETS, name))
const seconds = Number(flags.seconds)
if (unknown !== undefined || !(seconds > 0)) {
  console.error(
    `usage: --seconds <number> [--target ${Object.keys(TARGETS).join(' | ')}] [--seed <number>]`,
  )
  process.exit(2)
}

const ROUND_SECONDS_MAX = 60
const endsAt = Date.now() + seconds * 1000
let inputs = 0
do {
  for (const target of targets) {
    const left = Math.max(1, (endsAt - Date.now()) / 1000)
    const seed = flags.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(flags.seed)
    const share = Math.min(left, seconds / targets.length, ROUND_SECONDS_MAX)
    const { runs, failure } = await fuzz(target, { runs: 2 ** 31 - 1, seconds: share, seed })
    inputs += runs
    console.log(
      `${target}: seed ${seed}, ${runs} inputs, ${failure === undefined ? 'ok' : 'FAILED'}`,
    )
    if (failure !== undefined) {
      console.log(failure)
      console.log(
        `again: npm run test:fuzz -- --target ${target} --seed ${seed} --seconds ${seconds}`,
      )
      process.exit(1)
    }
  }
} while (flags.seed === undefined && Date.now() < endsAt)
console.log(`${inputs} inputs, nothing found`)
