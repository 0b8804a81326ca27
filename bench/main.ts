// SPDX-License-Identifier: Apache-2.0
import { helpOf, readCall, twoColumns } from './harness/command-line.ts'
import { UsageError } from './harness/experiment.ts'
import { runSuite } from './harness/run-suite.ts'
import { failuresOf } from './report/report.ts'
import { formatReport } from './report/report-table.ts'
import { SUITES } from './suites.ts'

/** npm passes a Ctrl-C on a second time; one that comes later than this is the user's own. */
const SAME_INTERRUPT_MS = 1_000

const EXIT = { done: 0, failed: 1, wrongCall: 2, interrupted: 130 } as const

async function main(words: readonly string[]): Promise<number> {
  const [name, ...flags] = words
  if (name === undefined || isHelp(name)) {
    process.stdout.write(await overview())
    return name === undefined ? EXIT.wrongCall : EXIT.done
  }
  const load = Object.hasOwn(SUITES, name) ? SUITES[name] : undefined
  if (load === undefined) {
    const known = Object.keys(SUITES).join(', ')
    throw new UsageError(`There is no benchmark "${name}"; there are ${known}.`)
  }
  const suite = await load()
  if (flags.some(isHelp)) {
    process.stdout.write(helpOf(name, suite))
    return EXIT.done
  }
  const call = readCall(flags, suite)
  const signal = untilInterrupted()
  try {
    const { report, folder, files } = await runSuite(name, suite, call, {
      signal,
      progressTo: process.stderr,
    })
    process.stdout.write(formatReport(report))
    process.stdout.write(`\n${folder}: ${files.join(', ')}\n`)
    const failures = failuresOf(report)
    for (const failure of failures) process.stderr.write(`${failure}\n`)
    return failures.length === 0 ? EXIT.done : EXIT.failed
  } catch (error) {
    if (!signal.aborted) throw error
    process.stderr.write('Stopped; nothing is reported.\n')
    return EXIT.interrupted
  }
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h'
}

/** Aborted by the first SIGINT or SIGTERM, so that everything is closed; a later one does not wait. */
function untilInterrupted(): AbortSignal {
  const interruption = new AbortController()
  let firstMs: number | undefined
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      firstMs ??= performance.now()
      if (performance.now() - firstMs > SAME_INTERRUPT_MS) process.exit(EXIT.interrupted)
      interruption.abort(new Error('interrupted'))
    })
  }
  return interruption.signal
}

async function overview(): Promise<string> {
  const suites: [string, string][] = []
  for (const [name, load] of Object.entries(SUITES)) suites.push([name, (await load()).title])
  const help = '<name> --help tells its flags and its experiments.'
  return ['npm run bench -- <name> [flags]', '', ...twoColumns(suites), '', help, ''].join('\n')
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const isWrongCall = error instanceof UsageError
  process.stderr.write(isWrongCall ? `${error.message}\n` : `${(error as Error).stack}\n`)
  process.exitCode = isWrongCall ? EXIT.wrongCall : EXIT.failed
}
