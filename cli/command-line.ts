// SPDX-License-Identifier: Apache-2.0
import { parseArgs } from 'node:util'
import { checkedText } from '../server/config-values.ts'
import { environmentName, type Flag } from '../server/flags.ts'
import { UsageError } from '../server/usage-error.ts'
import { nearestNames } from '../storage/tables/tables.ts'
import { Call, type Command, type Environment, type Flags } from './command.ts'

/** What is to be done: a command, or telling what there is. */
export type Order =
  | { readonly kind: 'run'; readonly command: Command; readonly call: Call }
  /** Of all commands when none is named. */
  | { readonly kind: 'help'; readonly command?: Command }
  | { readonly kind: 'version' }

/** What the command line asks for. The command line wins over the environment. Throws UsageError. */
export function readOrder(
  commands: readonly Command[],
  args: readonly string[],
  environment: Environment,
): Order {
  const [first, ...rest] = args
  switch (first) {
    case undefined:
    case '--help':
    case '-h':
      return { kind: 'help' }
    case 'help':
      return rest[0] === undefined
        ? { kind: 'help' }
        : { kind: 'help', command: commandNamed(commands, rest[0]) }
    case '--version':
      return { kind: 'version' }
  }
  const command = commandNamed(commands, first)
  const { values, words } = parseCommandLine(command, rest, environment)
  if (values.help === true) return { kind: 'help', command }
  if (values.version === true) return { kind: 'version' }
  const { flags, fromEnvironment, wordsMax } = command
  const extra = words[wordsMax]
  if (extra !== undefined) {
    // A shell has made several words of a statement.
    const quotes = wordsMax > 1 ? '; what has blanks stands in quotes' : ''
    throw new UsageError(
      `"${extra.slice(0, 100)}" is not asked for${quotes}. ${hintOf(command, environment)}`,
    )
  }
  const given: Record<string, string> = {}
  const repeated: Record<string, readonly string[]> = {}
  for (const [name, flag] of Object.entries(flags)) {
    const value = values[name]
    if (Array.isArray(value)) repeated[name] = value
    const variable = fromEnvironment.includes(name) ? environmentName(name) : undefined
    const onLine = textOf(value)
    const text = onLine ?? (variable === undefined ? undefined : environment[variable])
    if (text === undefined) continue
    try {
      given[name] = checkedText(name, flag, text)
    } catch (error) {
      if (onLine !== undefined || !(error instanceof UsageError)) throw error
      throw new UsageError(`${error.message} It stands in ${variable} of the environment.`)
    }
  }
  const onCommandLine = new Set(Object.keys(values))
  return {
    kind: 'run',
    command,
    call: new Call(flags, { words, given, repeated, environment, onCommandLine }),
  }
}

function commandNamed(commands: readonly Command[], name: string): Command {
  const command = commands.find((each) => each.name === name)
  if (command !== undefined) return command
  const names = commands.map((each) => each.name)
  // A flag is no misspelt command.
  const [near] = name.startsWith('-') ? [] : nearestNames(name, names, 1)
  const meant = near === undefined ? `There are ${names.join(', ')}.` : `Did you mean ${near}?`
  throw new UsageError(`There is no command "${name.slice(0, 100)}". ${meant}`)
}

type FlagValue = string | boolean | string[] | undefined

function parseCommandLine(
  command: Command,
  args: readonly string[],
  environment: Environment,
): { readonly values: Readonly<Record<string, FlagValue>>; readonly words: readonly string[] } {
  const options = Object.fromEntries(
    Object.entries(command.flags).map(([name, { kind }]) => {
      const type = kind === 'switch' ? 'boolean' : 'string'
      return [name, { type, multiple: kind === 'list' } as const]
    }),
  )
  try {
    const { values, positionals } = parseArgs({
      args: withNegativeValues(args, command.flags),
      allowPositionals: true,
      options: { ...options, help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } },
    })
    return { values, words: positionals }
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    const advice = line.indexOf(' To specify')
    const sentence = advice < 0 ? line : line.slice(0, advice)
    const wanted = /^Unknown option '--([^'=]*)/.exec(sentence)?.[1]
    if (wanted === undefined) throw new UsageError(sentence)
    const [near] = nearestNames(wanted, Object.keys(options), 1)
    const meant = near === undefined ? '' : ` Did you mean --${near}?`
    throw new UsageError(`${sentence}${meant} ${hintOf(command, environment)}`)
  }
}

/** Under `npm start`, where the command is not installed. */
export function isOfClone(environment: Environment): boolean {
  return environment.npm_lifecycle_event === 'start'
}

/** Where the flags are listed: under `npm start` they stand behind `--`. */
function hintOf({ name }: Command, environment: Environment): string {
  return isOfClone(environment)
    ? 'npm start -- --help lists the flags; they stand behind --.'
    : `percolite ${name} --help lists the flags.`
}

/** `--port -1` as `--port=-1`: what is wrong with the value is said by its flag, and not that it looks like one. */
function withNegativeValues(args: readonly string[], flags: Flags): string[] {
  const joined: string[] = []
  for (const arg of args) {
    const before = joined.at(-1) ?? ''
    const flag: Flag | undefined = before.startsWith('--') ? flags[before.slice(2)] : undefined
    const isValue = flag !== undefined && flag.kind !== 'switch' && /^-\d/.test(arg)
    if (isValue) joined[joined.length - 1] = `${before}=${arg}`
    else joined.push(arg)
  }
  return joined
}

function textOf(value: FlagValue): string | undefined {
  return Array.isArray(value) ? value.join(',') : value?.toString()
}
