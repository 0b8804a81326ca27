// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../client-sdk/client.ts'
import { readConfig } from '../../server/config.ts'
import { FLAGS } from '../../server/flags.ts'
import { packageVersion } from '../../server/package-files.ts'
import type { Call, Command, ExitCode, Streams } from '../command.ts'
import { Brokerage } from './brokerage.ts'

export const DEMO: Command = {
  name: 'demo',
  summary: 'run a server in memory, with a small brokerage whose customers trade',
  usage: ['[--port <port>] [--quiet] [--step-delay <duration>]'],
  details: [
    'Runs a server on this machine with a small brokerage to look at: four tables, and five trades a second.',
    'Nothing is kept. Ctrl-C ends it.',
  ],
  flags: {
    port: FLAGS.port,
    quiet: { kind: 'switch', default: 'false', meaning: 'no trades, so that nothing changes' },
    'step-delay': {
      ...FLAGS['step-delay'],
      meaning: 'wait after each step of a commit, at most 10s; two accounts and no trades',
    },
  },
  fromEnvironment: ['port'],
  wordsMax: 0,
  run,
}

const TRADE_EVERY_MS = 200

async function run(call: Call, { output, errors }: Streams): Promise<ExitCode | undefined> {
  const config = readConfig({
    engine: 'memory',
    commit: 'two-phase',
    port: call.text('port'),
    'step-delay': call.text('step-delay'),
    retention: '1h',
    'garbage-interval': '1m',
    'log-level': 'warn',
  })
  // Half of what the program consists of, which the other commands do without.
  const { createLog, startServer } = await import('../start-server.ts')
  const log = createLog(config)
  const url = await startServer(config, { log, observers: [], errors })
  const db = connect({ url })
  const brokerage = await Brokerage.create(db, Math.random)
  // Of the store, whose newest timestamp may be behind the clock of the machine.
  const { readTimestamp } = await db.query('SCAN * FROM security')
  output.write(welcome(url, timeOf(readTimestamp)))
  if (config.stepDelayMs !== undefined) {
    await db.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL)')
    output.write(slowTransfer(url))
    await db.query("INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2)")
    return undefined
  }
  if (call.isOn('quiet')) return undefined
  for (;;) {
    await sleep(TRADE_EVERY_MS)
    await brokerage.trade().catch((error) => log.warn({ err: error }, 'a trade failed'))
  }
}

/** Of microseconds since 1970, to the microsecond. */
function timeOf(timestamp: number): string {
  const milliseconds = new Date(Math.floor(timestamp / 1_000)).toISOString()
  return milliseconds.replace('Z', `${String(timestamp % 1_000).padStart(3, '0')}Z`)
}

function welcome(url: string, opened: string): string {
  // In quotes, because zsh takes a question mark outside of them for a pattern of files.
  const query = `curl -s "${url}/v1/query?format=table"`
  return `${[
    `percolite ${packageVersion()}: a small brokerage at ${url}, in memory. Ctrl-C ends it.`,
    '',
    'Four tables: customer, security, holding and trade. In another terminal:',
    '',
    `  ${query} -d "SCAN * FROM customer"`,
    `  ${query} -d "SCAN * FROM trade WHERE customer = 1 LIMIT 5"`,
    `  ${query} -d "GET * FROM security AS OF '${opened}' WHERE symbol = 'BREW'"`,
    `  curl -s ${url}/v1/tables/security/cells/BREW       # as the protocol sees it`,
    `  curl -sN "${url}/v1/changes?sql=SCAN+*+FROM+trade+USE+PRIMARY+KEY"`,
    `  ${url}/docs                                        # every operation, in a browser`,
    `  ${url}/console/                                    # tables, queries and the server, in a browser`,
    '',
  ].join('\n')}\n`
}

/** The transfer of Figure 4 of the paper, for two terminals. */
function slowTransfer(url: string): string {
  const amount = (sign: string, id: string) =>
    `SET balance = balance ${sign} 7 ON account WHERE id = '${id}'`
  return `${[
    'Commits wait after each step. A transfer of 7 dollars, and in another terminal what is below its rows meanwhile:',
    '',
    `  curl -s "${url}/v1/query" -d "${amount('-', 'bob')}; ${amount('+', 'joe')}"`,
    `  curl -s "${url}/v1/tables/account/cells?key=bob&key=joe"`,
    '',
    'To make it stand still, with the timestamp of one of its locks:',
    '',
    `  curl -s -X POST ${url}/v1/transactions/TIMESTAMP/kill`,
    '',
  ].join('\n')}\n`
}
