// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs'
import { type Logger, pino } from 'pino'
import pretty from 'pino-pretty'
import type { Config } from '../server/config.ts'
import type { DefinedObserver } from '../server/live/observers/define-observer.ts'
import { createServer, type Server } from '../server/server.ts'
import { StandbyServer } from '../server/standby-server.ts'
import { UsageError } from '../server/usage-error.ts'
import { EXIT, type Output } from './command.ts'
import { exitCodeOf } from './failure.ts'
import { openNoDebugger, stopOnSignals } from './stop-signals.ts'

type Dependencies = {
  readonly log: Logger
  readonly observers: readonly DefinedObserver[]
  readonly errors: Output
  readonly onListening?: (url: string, isGuarded: boolean) => void
}

/**
 * Starts a server, which signals stop, and resolves to its address. A start that fails is one line on standard error,
 * and ends the process. Rejects with UsageError.
 */
export async function startServer(
  config: Config,
  { errors, ...deps }: Dependencies,
): Promise<string> {
  const { log } = deps
  openNoDebugger(log)
  leaveMemoryOutOfCoreDumps()
  try {
    const server = await openServer(config, { ...deps, onFatal: endAtOnce(log) })
    stopOnSignals(server, log)
    return (await server.listen()).url
  } catch (error) {
    if (error instanceof UsageError) throw error
    errors.write(`percolite: ${startFailure(error, config)}\n`)
    // What was opened before may keep the process from ending.
    process.exit(exitCodeOf(error))
  }
}

/** One that follows another may open itself again later, and ends the process where that fails. */
async function openServer(
  config: Config,
  deps: Parameters<typeof createServer>[1] & { readonly log: Logger },
): Promise<Server | StandbyServer> {
  if (config.follow === undefined) return await createServer(config, deps)
  const standby = await StandbyServer.start(config, config.follow, deps)
  standby.whenFailed.then((error) => {
    deps.log.fatal({ err: error }, 'the standby cannot be opened again; the server ends')
    process.exit(EXIT.failed)
  })
  return standby
}

/**
 * Has Linux leave the memory of this process out of its core dump: in it are tokens on their way, the key of the
 * certificate and rows. Elsewhere, and where it is not allowed, that is left to the limit of the operating system.
 */
function leaveMemoryOutOfCoreDumps(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0x0')
  } catch {
    // There is no such file, or it may not be written.
  }
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
export function createLog({ logFormat, logLevel }: Pick<Config, 'logFormat' | 'logLevel'>): Logger {
  if (logFormat === 'json') return pino({ level: logLevel, base: null })
  const stream = pretty({ sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' })
  return pino({ level: logLevel, base: null }, stream)
}
