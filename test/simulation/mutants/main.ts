// SPDX-License-Identifier: Apache-2.0
import { availableParallelism } from 'node:os'
import { endMisused, scriptFlags } from '../../../tools/script-flags.ts'
import { RELAY_MUTANTS } from '../../relays/relay-mutants.ts'
import { STANDBY_MUTANTS } from '../../standby/standby-mutants.ts'
import { hunt } from './hunt.ts'
import { MUTANTS } from './mutants.ts'

const HELP = `npm run test:mutants -- [--part 1/3] [name …]

Plants each bug in turn, or those that are named, and fails when one is not caught. Those of a standby and of relays
are hunted by name only: their runs have threads or processes, and take long.

  --part  of so many equal parts this one: every third bug from the first on

There are:

${MUTANTS.map(({ name }) => `  ${name}`).join('\n')}`

const { positionals: names, values } = scriptFlags(
  HELP,
  { part: { type: 'string', default: '1/1' } },
  { allowPositionals: true },
)
const [part = 0, parts = 0] = values.part.split('/').map(Number)
if (!(Number.isInteger(part) && Number.isInteger(parts) && part >= 1 && part <= parts)) {
  endMisused(HELP, `--part is as in 1/3, and not ${values.part}.`)
}
const byName = [...STANDBY_MUTANTS, ...RELAY_MUTANTS]
const unknown = names.find((name) => !MUTANTS.some((mutant) => mutant.name === name))
if (unknown !== undefined) endMisused(HELP, `There is no planted bug ${unknown}.`)
const mutants =
  names.length === 0
    ? MUTANTS.filter((mutant) => !byName.includes(mutant)).filter(
        (_, at) => at % parts === part - 1,
      )
    : MUTANTS.filter((mutant) => names.includes(mutant.name))
const survivors: string[] = []
for (const mutant of mutants) {
  const startedMs = performance.now()
  const found = await hunt(mutant, availableParallelism())
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  const told = found === undefined ? 'NOT CAUGHT' : `caught after ${found.after} by ${found.by}`
  console.log(`${mutant.name.padEnd(26)} ${seconds.padStart(6)} s  ${told}`)
  if (found === undefined) survivors.push(mutant.name)
}
console.log(`${mutants.length - survivors.length} of ${mutants.length} planted bugs were caught`)
process.exitCode = survivors.length === 0 ? 0 : 1
