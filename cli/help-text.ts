// SPDX-License-Identifier: Apache-2.0
import { environmentName, type Flag } from '../server/flags.ts'
import type { Command } from './command.ts'

/** The list of commands, each line at most 120 characters. */
export function helpOfAll(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = [
    'Usage: percolite <command> [flags]',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'percolite <command> --help tells more, percolite --version the version.',
    'Exit codes: 0 done, 1 failed or problems found, 2 wrong call, 3 no server or database, or one in use,',
    '4 a commit of which nobody could tell the outcome, 130 interrupted.',
  ]
  return `${lines.join('\n')}\n`
}

export function helpOf({
  name,
  usage,
  details,
  flags,
  headings = {},
  fromEnvironment,
}: Command): string {
  const [first = '', ...others] = usage.map((words) => `percolite ${name} ${words}`.trimEnd())
  const kinds = new Set(Object.values(flags).map(({ kind }) => kind))
  const [sample] = fromEnvironment
  const notes = [
    ...(kinds.has('duration') ? ['Durations are written like 500ms, 30s, 5m or 1h.'] : []),
    ...(kinds.has('size') ? ['Sizes are written like 512KiB, 64MiB or 1GiB.'] : []),
    ...(kinds.has('list')
      ? [
          'Flags with <name,…> may be repeated; in the environment their values are separated by commas.',
        ]
      : []),
    ...(sample === undefined
      ? []
      : [`From the environment: ${environmentNote(fromEnvironment, Object.keys(flags), sample)}.`]),
  ]
  const lines = [
    `Usage: ${first}`,
    ...others.map((line) => `       ${line}`),
    '',
    ...(details.length === 0 ? [] : [...details, '']),
    ...Object.entries(flags).flatMap(([flag, meaning], index) => [
      ...(headings[flag] === undefined ? [] : [...(index === 0 ? [] : ['']), `${headings[flag]}:`]),
      lineOf(flag, meaning),
    ]),
    ...(Object.keys(headings).length === 0 ? [] : ['']),
    `  ${'--help, -h'.padEnd(WIDTH)} show this text`,
    ...(notes.length === 0 ? [] : ['', ...notes]),
  ]
  return `${lines.join('\n')}\n`
}

/** Flags stand in front of their meanings, in a column of this width. */
const WIDTH = 41

function environmentNote(names: readonly string[], all: readonly string[], sample: string): string {
  if (names.length === all.length) return `--${sample} is ${environmentName(sample)}, and so on`
  if (names.length > 3) return `${environmentName(sample)} and what else names the store`
  return names.map((name) => `--${name} is ${environmentName(name)}`).join(', ')
}

function lineOf(name: string, flag: Flag): string {
  const unset = flag.kind === 'switch' || flag.default === ''
  const byDefault = unset ? '' : ` (default ${flag.default})`
  return `  ${`--${name}${placeholder(flag)}`.padEnd(WIDTH)} ${flag.meaning}${byDefault}`
}

function placeholder(flag: Flag): string {
  switch (flag.kind) {
    case 'switch':
      return ''
    case 'choice':
      return ` ${flag.choices?.join('|')}`
    case 'list':
      return ' <name,…>'
    default:
      return ` <${flag.kind}>`
  }
}
