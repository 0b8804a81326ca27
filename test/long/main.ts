// SPDX-License-Identifier: Apache-2.0
import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'
import { SUITES, type Suite } from './suites.ts'
import { type SuiteRun, withRuns } from './trust-page.ts'

const HELP = `npm run test:long -- [--only NAME] [--list] [--record]

The suites at the length at which their figures are quoted, one after the other; it takes about four
hours. Ends with a table, and with exit code 1 when one of them failed.

  --only    those whose names begin with this
  --list    only prints what would be run
  --record  writes what each came to into docs/trust.md, with the day and the commit; nothing may be uncommitted`

const PAGE = 'docs/trust.md'

const { values } = scriptFlags(HELP, {
  only: { type: 'string' },
  list: { type: 'boolean', default: false },
  record: { type: 'boolean', default: false },
})
const chosen = SUITES.filter(({ name }) => name.startsWith(values.only ?? ''))
if (chosen.length === 0) {
  const names = SUITES.map(({ name }) => name).join(', ')
  endMisused(HELP, `There is no --only ${values.only}; there are ${names}.`)
}
const commit = values.record ? cleanCommit() : ''
const results = values.list ? [] : await runAll(chosen)
for (const { name, words, minutes } of chosen) {
  const result = results.find((one) => one.name === name)
  const how = result === undefined ? `about ${minutes} min` : result.said
  console.log(`${name.padEnd(22)} ${how.padEnd(18)} ${words.join(' ')}`)
}
process.exit(results.some(({ isGreen }) => !isGreen) ? 1 : 0)

async function runAll(suites: readonly Suite[]) {
  const results: Array<{ name: string; said: string; isGreen: boolean }> = []
  for (const suite of suites) {
    const { name, words } = suite
    console.log(`\n${name}: ${words.join(' ')}`)
    const beganMs = performance.now()
    const { code, output } = await runOne(words)
    const took = `${Math.round((performance.now() - beganMs) / 1_000)} s`
    const said = output.match(new RegExp(suite.says, 'g'))?.at(-1)?.trim()
    // A suite that says nothing may have run nothing.
    const isGreen = code === 0 && said !== undefined
    results.push({ name, said: `${isGreen ? 'green' : `failed (${code})`}, ${took}`, isGreen })
    if (values.record && isGreen) record({ ...suite, said })
  }
  return results
}

async function runOne(words: readonly string[]) {
  const [program = '', ...rest] = words
  const child = spawn(program, rest, { stdio: ['inherit', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    process.stdout.write(text)
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output: stripVTControlCharacters(output) }
}

/** At once, so that a run that is ended keeps what it had. */
function record({ name, shows, words, said }: Suite & { readonly said: string }): void {
  const date = new Date().toISOString().slice(0, 10)
  const run: SuiteRun = { name, shows, said, date, commit, command: words.join(' ') }
  const names = SUITES.map((suite) => suite.name)
  writeFileSync(PAGE, withRuns(readFileSync(PAGE, 'utf8'), [run], names))
}

/** What is said of a commit was done by it. The page itself may have changed. */
function cleanCommit(): string {
  const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8' }).trimEnd()
  const changed = git('status', '--porcelain', '--untracked-files=no').split('\n').filter(Boolean)
  if (changed.some((line) => !line.endsWith(PAGE))) {
    endMisused(HELP, `--record: commit first, ${changed.length} files have changed.`)
  }
  return git('rev-parse', '--short=8', 'HEAD')
}
