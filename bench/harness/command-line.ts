// SPDX-License-Identifier: Apache-2.0
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { type Experiment, type Suite, UsageError } from './experiment.ts'

/** Flags that every suite has; a suite adds its own. */
const FLAGS = {
  seconds: { argument: 'S', help: 'length of one sample' },
  repetitions: { argument: 'N', help: 'samples of each contender, at least 5 for a judgement' },
  only: { argument: 'NAME', help: 'only this experiment; may be given several times' },
  data: { argument: 'FOLDER', help: 'where the data lies while it runs, on a real disk' },
  out: { argument: 'FOLDER', help: 'where the report is written (bench/results/<date>-<suite>)' },
  json: { argument: 'FILE', help: 'write report.json here as well' },
} as const

export type BenchCall = {
  readonly seconds: number
  readonly repetitions: number
  readonly dataFolder: string
  readonly out?: string
  readonly json?: string
  readonly options: Readonly<Record<string, string>>
  readonly experiments: readonly Experiment[]
}

/** Throws UsageError for whatever is wrong with the flags. */
export function readCall(words: readonly string[], suite: Suite): BenchCall {
  const values = parseWords(words, suite)
  const text = (name: string) => values[name] as string | undefined
  const options: Record<string, string> = {}
  for (const [name, option] of Object.entries(suite.options ?? {})) {
    options[name] = values[name] === true ? 'yes' : (text(name) ?? option.default)
  }
  const { defaults } = suite
  const out = text('out')
  const json = text('json')
  return {
    seconds: numberOf('seconds', text('seconds') ?? String(defaults.seconds), 0.01),
    repetitions: Math.floor(
      numberOf('repetitions', text('repetitions') ?? String(defaults.repetitions), 1),
    ),
    dataFolder: text('data') ?? tmpdir(),
    ...(out === undefined ? {} : { out }),
    ...(json === undefined ? {} : { json }),
    options,
    experiments: chosen(suite.experiments(options), (values.only as string[] | undefined) ?? []),
  }
}

export function helpOf(name: string, suite: Suite): string {
  const { defaults } = suite
  const defaultOf: Record<string, string> = {
    seconds: ` (${defaults.seconds})`,
    repetitions: ` (${defaults.repetitions})`,
    data: ` (${tmpdir()})`,
  }
  const rows: [string, string][] = [
    ...Object.entries(FLAGS).map(([flag, { argument, help }]): [string, string] => [
      `--${flag} ${argument}`,
      `${help}${defaultOf[flag] ?? ''}`,
    ]),
    ...Object.entries(suite.options ?? {}).map(([flag, option]): [string, string] => [
      option.isSwitch === true ? `--${flag}` : `--${flag} ${flag.toUpperCase()}`,
      option.isSwitch === true ? option.help : `${option.help} (${option.default})`,
    ]),
  ]
  const options = Object.entries(suite.options ?? {}).map(([flag, option]) => [
    flag,
    option.default,
  ])
  const experiments = suite.experiments(Object.fromEntries(options))
  return [
    `npm run bench -- ${name} [flags]    ${suite.title}`,
    '',
    ...twoColumns(rows),
    '',
    'Experiments:',
    ...twoColumns(experiments.map(({ name: of, title }) => [of, title])),
    '',
  ].join('\n')
}

/** Names and what they are, aligned. */
export function twoColumns(rows: ReadonlyArray<readonly [name: string, text: string]>): string[] {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
}

function parseWords(
  words: readonly string[],
  suite: Suite,
): Record<string, string | string[] | boolean | undefined> {
  const own = Object.entries(suite.options ?? {}).map(([flag, { isSwitch }]) => {
    return [flag, { type: isSwitch === true ? 'boolean' : 'string' }] as const
  })
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        ...Object.fromEntries(Object.keys(FLAGS).map((flag) => [flag, { type: 'string' }])),
        ...Object.fromEntries(own),
        only: { type: 'string' as const, multiple: true },
      },
    })
    return values as Record<string, string | string[] | boolean | undefined>
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function chosen(experiments: readonly Experiment[], names: readonly string[]): Experiment[] {
  for (const name of names) {
    if (experiments.some((experiment) => experiment.name === name)) continue
    const known = experiments.map((experiment) => experiment.name).join(', ')
    throw new UsageError(`There is no experiment "${name}"; there are ${known}.`)
  }
  return experiments.filter(({ name }) => names.length === 0 || names.includes(name))
}

// What the flags say. All throw a UsageError that names the flag and what it takes.

/** A number, of any size from `min` on. */
export function numberOf(flag: string, text: string, min: number): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value >= min) return value
  throw new UsageError(`--${flag} ${text}: a number of at least ${min} is needed.`)
}

export function wholeNumber(flag: string, text: string, max: number, min = 1): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= min && number <= max) return number
  throw new UsageError(
    `--${flag} ${text}: it is a whole number from ${min} to ${max.toLocaleString('en')}.`,
  )
}

/** One of the names that are known, in whatever case. */
export function oneOf<Name extends string>(
  flag: string,
  text: string,
  known: readonly Name[],
): Name {
  const word = text.trim()
  const found = known.find((name) => name === word.toLowerCase())
  if (found !== undefined) return found
  const names = known.filter((name) => name !== '').join(', ')
  throw new UsageError(`--${flag} ${text}: there is no ${word}, but ${names}.`)
}

/** Names, or whatever is read of each, separated by commas. */
export function listOf<Value>(text: string, read: (word: string) => Value): readonly Value[] {
  return text.split(',').map(read)
}
