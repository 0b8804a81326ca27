// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path'
import { type Config, readConfig } from '../server/config.ts'
import { environmentName, FLAG_HEADINGS, FLAG_NAMES, FLAGS } from '../server/flags.ts'
import { loadObservers } from '../server/live/observers/observer-module.ts'
import { describeEngine, ETCD_PASSWORD_NAME } from '../server/operations/engines/engine-config.ts'
import { isConsoleBuilt, packageVersion } from '../server/package-files.ts'
import { UsageError } from '../server/usage-error.ts'
import { nearestNames } from '../storage/tables/tables.ts'
import type { Call, Command, Environment, ExitCode, Streams } from './command.ts'
import { isOfClone } from './command-line.ts'

export const SERVE: Command = {
  name: 'serve',
  summary: 'run a server',
  usage: ['[flags]'],
  details: [
    'Runs a server: without flags at http://127.0.0.1:4270, open to this machine only, with its data in ./data.',
  ],
  flags: FLAGS,
  headings: FLAG_HEADINGS,
  fromEnvironment: FLAG_NAMES,
  wordsMax: 0,
  run,
}

/** What clients read, and a server that shares their environment leaves alone. */
const CLIENT_NAMES = ['PERCOLITE_URL', 'PERCOLITE_TOKEN']

/** A name that is misspelt would be ignored without a word. Throws UsageError. */
function requireKnownNames(environment: Environment): void {
  const known = [...FLAG_NAMES.map(environmentName), ETCD_PASSWORD_NAME, ...CLIENT_NAMES]
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('PERCOLITE_') || known.includes(name)) continue
    const [near] = nearestNames(name, known, 1)
    const meant = near === undefined ? '' : ` Did you mean ${near}?`
    throw new UsageError(`There is no ${name.slice(0, 100)} in the environment.${meant}`)
  }
}

async function run(call: Call, { errors }: Streams): Promise<ExitCode | undefined> {
  requireKnownNames(call.environment)
  const config = readConfig(call.givenOf(FLAG_NAMES), call.environment)
  // Half of what the program consists of, which the other commands do without.
  const { createLog, startServer } = await import('./start-server.ts')
  const log = createLog(config)
  const observers = await loadObservers(config.observersModule)
  const shell = `${isOfClone(call.environment) ? 'npx node cli/cli.ts' : 'percolite'} shell`
  const onListening = (url: string, isGuarded: boolean) => {
    for (const line of greeting(url, { isGuarded, config, shell })) log.info(line)
  }
  await startServer(config, { log, observers, errors, onListening })
  return undefined
}

type Greeted = { readonly isGuarded: boolean; readonly config: Config; readonly shell: string }

/** What somebody who has just started it asks: where it is, where to look, where the data is, what to type. */
function greeting(url: string, { isGuarded, config, shell }: Greeted): readonly string[] {
  const { hasConsole, hasDocs } = config
  // An address that stands for any is none to open.
  const at = url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:)/, '//localhost')
  const reach = isGuarded ? 'holders of a token' : whoReaches(config)
  const pages = [
    ...(hasConsole && isConsoleBuilt() ? [`console ${at}/console/`] : []),
    ...(hasDocs ? [`operations ${at}/docs`] : []),
  ]
  return [
    `percolite ${packageVersion()} listening on ${url}, open to ${reach}`,
    ...(pages.length > 0 ? [pages.join('; ')] : []),
    `data in ${dataOf(config)}`,
    `statements: ${shell} ${at}${isGuarded ? ', with a token in PERCOLITE_TOKEN' : ''}`,
  ]
}

function whoReaches({ auth }: Config): string {
  return auth === 'off' ? 'everybody who can reach it' : 'this machine only'
}

function dataOf({ engine, sharedEngine, dataDirectory }: Config): string {
  if (sharedEngine !== undefined) return describeEngine(sharedEngine)
  return engine === 'memory' ? 'memory' : resolve(dataDirectory)
}
