// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path'
import { type Logger, pino } from 'pino'
import pretty from 'pino-pretty'
import { type Config, readConfig } from '../server/config.ts'
import { leaveMemoryOutOfCoreDumps } from '../server/core-dumps.ts'
import { describeEngine, ETCD_PASSWORD_NAME } from '../server/engines/engine-config.ts'
import { environmentName, FLAG_NAMES, FLAGS } from '../server/flags.ts'
import { loadObservers } from '../server/observers/observer-module.ts'
import { packageVersion } from '../server/package-files.ts'
import { createServer } from '../server/server.ts'
import { openNoDebugger, stopOnSignals } from '../server/stop-signals.ts'
import { UsageError } from '../server/usage-error.ts'
import { nearestNames } from '../storage/storage.ts'
import {
  type Call,
  type Command,
  type Environment,
  EXIT,
  type ExitCode,
  type Streams,
} from './command.ts'
import { exitCodeOf } from './failure.ts'

export const SERVE: Command = {
  name: 'serve',
  summary: 'run a server',
  usage: ['[flags]'],
  details: [],
  flags: FLAGS,
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
  const { observersModule } = config
  const log = createLog(config)
  openNoDebugger(log)
  leaveMemoryOutOfCoreDumps()
  const observers = observersModule === undefined ? [] : await loadObservers(observersModule)
  try {
    const server = await createServer(config, { log, observers, onFatal: endAtOnce(log) })
    stopOnSignals(server, log)
    const { url } = await server.listen()
    const data = dataOf(config)
    const reach = server.isGuarded ? 'holders of a token' : whoReaches(config)
    log.info(`percolite ${packageVersion()} listening on ${url}, data in ${data}, open to ${reach}`)
    return undefined
  } catch (error) {
    if (error instanceof UsageError) throw error
    errors.write(`percolite: ${startFailure(error, config)}\n`)
    // What was opened before may keep the process from ending.
    process.exit(exitCodeOf(error))
  }
}

function whoReaches({ auth }: Config): string {
  return auth === 'off' ? 'everybody who can reach it' : 'this machine only'
}

function dataOf({ engine, sharedEngine, dataDirectory }: Config): string {
  if (sharedEngine !== undefined) return describeEngine(sharedEngine)
  return engine === 'memory' ? 'memory' : resolve(dataDirectory)
}

function startFailure(error: unknown, { host, port }: Config): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') {
    return `Port ${port} of ${host} is in use: take another with --port, or see who has it with lsof -i :${port}.`
  }
  if (code === 'EACCES' && (error as NodeJS.ErrnoException).syscall === 'listen') {
    return `Port ${port} of ${host} is not for this user, as those below 1024 are for root only: take another with --port.`
  }
  if (code === 'clock_not_plausible') {
    return `${message} Set the clock; if it is right, start once with --accept-clock.`
  }
  return message ?? String(error)
}

/** What is on disk is right, and what is in memory may not be: nothing is to be done but to end. */
function endAtOnce(log: Logger): (error: Error) => void {
  return (error) => {
    log.fatal({ err: error }, 'the disk failed; the server ends')
    process.exit(EXIT.failed)
  }
}

/** The log of the process, on standard output. Statements and parameters are never logged. */
function createLog({ logFormat, logLevel }: Config): Logger {
  if (logFormat === 'json') return pino({ level: logLevel, base: null })
  const stream = pretty({ sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' })
  return pino({ level: logLevel, base: null }, stream)
}
