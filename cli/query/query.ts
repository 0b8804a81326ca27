// SPDX-License-Identifier: Apache-2.0
import { type Database, type Parameters, PercoliteError } from '../../client-sdk/client.ts'
import { UsageError } from '../../server/usage-error.ts'
import {
  type Call,
  type Command,
  EXIT,
  type ExitCode,
  type Input,
  type Streams,
} from '../command.ts'
import {
  connectionOf,
  SERVER_FLAGS,
  SERVER_FLAGS_FROM_ENVIRONMENT,
} from '../connection/server-connection.ts'
import { exitCodeOfServer } from '../connection/server-failure.ts'
import { failureView } from '../results/failure-view.ts'
import { ResultsWriter } from '../results/results-writer.ts'
import { MODES, type Mode } from '../results/view.ts'
import { parametersOf } from './given-parameters.ts'

export const QUERY: Command = {
  name: 'query',
  summary: 'send statements to a server, as one transaction, and print their rows',
  usage: ["[URL] 'SQL' [--param name=value …] [--mode table|json|csv|…]", '[URL] - < file'],
  details: [
    'Sends statements as one request, which is one transaction, and prints their rows: as a table on a terminal,',
    'else as NDJSON. Without a text, or for -, it is read from standard input. A SCAN is read by the page, however',
    'long it is. Values of --param are JSON where they are JSON, else texts. Exit code 0: done, 1: a statement',
    'failed, 3: no connection, 4: no answer came to what may have been written.',
  ],
  flags: {
    ...SERVER_FLAGS,
    param: {
      kind: 'list',
      default: '',
      meaning: 'value of a parameter: id=bob for :id, 1=bob for $1',
    },
    mode: {
      kind: 'choice',
      choices: ['auto', ...MODES],
      default: 'auto',
      meaning: 'form of the rows',
    },
    quiet: { kind: 'switch', default: 'false', meaning: 'print rows, and not how many they are' },
    'no-color': { kind: 'switch', default: 'false', meaning: 'no colours; NO_COLOR does the same' },
  },
  fromEnvironment: SERVER_FLAGS_FROM_ENVIRONMENT,
  wordsMax: 2,
  run,
}

async function run(call: Call, { input, output, errors }: Streams): Promise<ExitCode> {
  const { db, words } = connectionOf(call)
  const params = parametersOf(call.all('param'))
  if (words.length > 1)
    throw new UsageError(`"${words[1]?.slice(0, 100)}" stands behind the statement.`)
  const sql = await statementText(words[0], input)
  const chosen = call.text('mode')
  const mode = chosen === 'auto' ? (output.isTTY ? 'table' : 'ndjson') : (chosen as Mode)
  const writer = new ResultsWriter(mode, viewOptionsOf(call, output), (text) => output.write(text))
  try {
    await show(db, { sql, params }, writer)
    return EXIT.done
  } catch (error) {
    errors.write(failureView(error, sql))
    if (!(error instanceof PercoliteError)) return EXIT.failed
    const code = exitCodeOfServer(error, { mayWrite: mayWrite(sql) })
    if (code === EXIT.unknownOutcome)
      errors.write('It may have been done, or not: read before you send it again.\n')
    return code
  }
}

/** Rejects with PercoliteError. */
async function show(
  db: Database,
  { sql, params }: { readonly sql: string; readonly params: Parameters | undefined },
  writer: ResultsWriter,
): Promise<void> {
  for await (const page of db.pages(sql, params)) {
    if (page.transaction !== undefined) {
      await db.request('DELETE', `/v1/transactions/${page.transaction}`)
      throw new Error(
        'BEGIN alone opens a transaction for other requests: give all of it in one text.',
      )
    }
    writer.page(page)
  }
  writer.end()
}

/** Colours are for terminals, unless they are not wanted. */
function viewOptionsOf(call: Call, output: Streams['output']) {
  const isPlain = call.isOn('no-color') || Boolean(call.environment.NO_COLOR)
  return { hasColor: output.isTTY === true && !isPlain, isQuiet: call.isOn('quiet') }
}

/** A server takes no longer text. */
const TEXT_BYTES_MAX = 1024 * 1024

async function statementText(word: string | undefined, input: Input): Promise<string> {
  if (word !== undefined && word !== '-') return word
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of input) {
    parts.push(Buffer.from(part))
    bytes += part.length
    if (bytes > TEXT_BYTES_MAX) {
      throw new UsageError('Standard input has more than 1 MiB, and a server takes no longer text.')
    }
  }
  return Buffer.concat(parts).toString()
}

/** Whether there is more in the text than one statement that reads. */
function mayWrite(sql: string): boolean {
  return !/^\s*(?:get|scan|show|describe)\b[^;]*;?\s*$/i.test(sql)
}
