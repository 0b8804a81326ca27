// SPDX-License-Identifier: Apache-2.0
import { type Logger, pino } from 'pino'
import pretty from 'pino-pretty'
import type { Config } from './config.ts'

/** The log of the process, on standard output. Statements and parameters are never logged. */
export function createLog({ logFormat, logLevel }: Config): Logger {
  if (logFormat === 'json') return pino({ level: logLevel, base: null })
  const stream = pretty({ sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' })
  return pino({ level: logLevel, base: null }, stream)
}
