// SPDX-License-Identifier: Apache-2.0
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'
import { TARGET_NAMES } from './target-names.ts'

const HELP = `npm run test:fuzz -- [--seconds 30] [--target bodies] [--seed 7]

Fuzzes for as long as it is told, in rounds over all targets, each with a seed of its own. Prints the seed and the
smallest input that fails, and fails by its exit code.

  --seconds  for how long (30)
  --target   only this one: ${TARGET_NAMES.join(', ')}
  --seed     one round, with the inputs that it had with this seed`

const { values: flags } = scriptFlags(HELP, {
  seconds: { type: 'string', default: '30' },
  target: { type: 'string' },
  seed: { type: 'string' },
})
const targets = TARGET_NAMES.filter((name) => (flags.target ?? name) === name)
const seconds = Number(flags.seconds)
if (targets.length === 0) endMisused(HELP, `There is no target ${flags.target}.`)
if (!(seconds > 0)) endMisused(HELP, '--seconds is a number.')
if (flags.seed !== undefined && !Number.isSafeInteger(Number(flags.seed))) {
  endMisused(HELP, '--seed is a number.')
}

const { fuzz } = await import('./fuzzing.ts')
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
