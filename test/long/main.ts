// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process'
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'

const HELP = `npm run test:long -- [--only NAME] [--list]

The suites at the length at which their figures are quoted, one after the other; it takes about two
hours. Ends with a table, and with exit code 1 when one of them failed.

  --only   those whose names begin with this
  --list   only prints what would be run`

const PLOTS = 'test/long/results'
const BACKUP = 'test/backup/backup-under-writers.system.test.ts'
const IMPORT = 'test/kill/kill-import.system.test.ts'
const MEMORY = ['constant', 'transfer'].map((name) => `test/${name}-memory.system.test.ts`)

/** Named after what is shown; the words of its command, and about how many minutes it takes. */
const SUITES = [
  { name: 'simulation', words: script('test:simulation', '--seeds', '10000'), minutes: 20 },
  { name: 'mutants', words: script('test:mutants'), minutes: 8 },
  { name: 'kill', words: script('test:kill', '--cycles', '30'), minutes: 20 },
  { name: 'crash', words: script('test:crash'), minutes: 1 },
  { name: 'backup', words: ['node', BACKUP, '--times', '20'], minutes: 5 },
  { name: 'import', words: ['node', IMPORT, '--kills', '50'], minutes: 3 },
  {
    name: 'memory',
    words: ['env', 'MEMORY_ROWS=1000000', 'node', '--test', ...MEMORY],
    minutes: 10,
  },
  { name: 'hostile', words: script('test:hostile'), minutes: 3 },
  { name: 'access', words: script('test:access'), minutes: 15 },
  { name: 'overload', words: script('test:overload'), minutes: 2 },
  { name: 'console', words: script('test:console'), minutes: 5 },
  ...gateways('bank', ['--only', 'bank', '--seconds', '120', '--plot', PLOTS]),
  ...gateways('lossy', ['--only', 'bank', '--lossy', '--seconds', '120', '--plot', PLOTS]),
  ...gateways('watchers', ['--only', 'watchers', '--seconds', '120']),
  ...gateways('web-index', ['--only', 'web-index']),
  ...gateways('brokerage', ['--only', 'brokerage', '--seconds', '60']),
  ...gateways('move', ['--only', 'move', '--seconds', '30']),
]

type Suite = (typeof SUITES)[number]

const { values } = scriptFlags(HELP, {
  only: { type: 'string' },
  list: { type: 'boolean', default: false },
})
const chosen = SUITES.filter(({ name }) => name.startsWith(values.only ?? ''))
if (chosen.length === 0) {
  const names = SUITES.map(({ name }) => name).join(', ')
  endMisused(HELP, `There is no --only ${values.only}; there are ${names}.`)
}
const results = values.list ? [] : await runAll(chosen)
for (const { name, words, minutes } of chosen) {
  const result = results.find((one) => one.name === name)
  const how = result === undefined ? `about ${minutes} min` : result.said
  console.log(`${name.padEnd(22)} ${how.padEnd(18)} ${words.join(' ')}`)
}
process.exit(results.some(({ isGreen }) => !isGreen) ? 1 : 0)

function script(name: string, ...flags: readonly string[]): string[] {
  return ['npm', 'run', name, ...(flags.length === 0 ? [] : ['--', ...flags])]
}

function gateways(name: string, words: readonly string[]) {
  return ['bigtable', 'etcd'].map((engine) => ({
    name: `${name}-${engine}`,
    words: script('test:gateways', '--engine', engine, ...words),
    minutes: 3,
  }))
}

async function runAll(suites: readonly Suite[]) {
  const results: Array<{ name: string; said: string; isGreen: boolean }> = []
  for (const { name, words } of suites) {
    const [program = '', ...rest] = words
    console.log(`\n${name}: ${words.join(' ')}`)
    const beganMs = performance.now()
    const child = spawn(program, rest, { stdio: 'inherit' })
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    const took = `${Math.round((performance.now() - beganMs) / 1_000)} s`
    results.push({
      name,
      said: `${code === 0 ? 'green' : `failed (${code})`}, ${took}`,
      isGreen: code === 0,
    })
  }
  return results
}
