#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Logger, pino } from 'pino'
import pretty from 'pino-pretty'
import { runCheck } from './check-command.ts'
import { type Command, type Config, readCommand } from './config.ts'
import { describeEngine } from './engines/engine-config.ts'
import { helpText } from './flags.ts'
import { runHistory } from './history/history-command.ts'
import { runMove } from './move/move-command.ts'
import { loadObservers } from './observers/observer-module.ts'
import { createServer } from './server.ts'
import { openNoDebugger, stopOnSignals } from './stop-signals.ts'
import { runToken } from './token-command.ts'
import { UsageError } from './usage-error.ts'

const EXIT_FAILED = 1
const EXIT_USAGE = 2

/**
 * `percolite serve …`: exit 2 for a wrong command line, 1 for a start that fails. `percolite check …`:
 * 0 for a sound store, 1 for one with problems, 3 when it could not be checked. `percolite history …`: 0
 * when it was done, else 1, and `percolite move …` and `percolite token …` likewise.
 */
async function main(): Promise<void> {
  const command = readCommandOrExit()
  switch (command.kind) {
    case 'help':
      process.stdout.write(helpText(command.command))
      return
    case 'version':
      process.stdout.write(`percolite ${version()}\n`)
      return
    case 'check':
      process.exitCode = await runCheck(command.config, {
        output: process.stdout,
        errors: process.stderr,
      })
      return
    case 'history':
      process.exitCode = await runHistory(command.config, {
        output: process.stdout,
        errors: process.stderr,
      })
      return
    case 'token':
      process.exitCode = await runToken(command.config, {
        output: process.stdout,
        errors: process.stderr,
      })
      return
    case 'move':
      process.exitCode = await runMove(command.config, {
        output: process.stdout,
        errors: process.stderr,
      }).catch(exitIfMisused)
      return
    case 'serve':
      await serve(command.config)
  }
}

function readCommandOrExit(): Command {
  try {
    return readCommand(process.argv.slice(2), process.env)
  } catch (error) {
    exitIfMisused(error)
  }
}

/** Throws what is no mistake in the call. */
function exitIfMisused(error: unknown): never {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`percolite: ${error.message}\n`)
  process.exit(EXIT_USAGE)
}

async function serve(config: Config): Promise<void> {
  const { observersModule } = config
  const log = createLog(config)
  openNoDebugger(log)
  const observers =
    observersModule === undefined ? [] : await loadObservers(observersModule).catch(exitIfMisused)
  try {
    const server = await createServer(config, { log, observers, onFatal: endAtOnce(log) })
    stopOnSignals(server, log)
    const { url } = await server.listen()
    const data = dataOf(config)
    const reach = server.isGuarded ? 'holders of a token' : whoReaches(config)
    log.info(`percolite ${version()} listening on ${url}, data in ${data}, open to ${reach}`)
  } catch (error) {
    if (error instanceof UsageError) exitIfMisused(error)
    process.stderr.write(`percolite: ${startFailure(error, config)}\n`)
    process.exit(EXIT_FAILED)
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
    process.exit(EXIT_FAILED)
  }
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return JSON.parse(text).version
}

await main()

/** The log of the process, on standard output. Statements and parameters are never logged. */
function createLog({ logFormat, logLevel }: Config): Logger {
  if (logFormat === 'json') return pino({ level: logLevel, base: null })
  const stream = pretty({ sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' })
  return pino({ level: logLevel, base: null }, stream)
}
