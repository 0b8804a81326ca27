// SPDX-License-Identifier: Apache-2.0
import { type Database, type Parameters, PercoliteError } from '../../client-sdk/client.ts'
import { type ForAllResult, forAll } from '../../client-sdk/for-all.ts'
import { UsageError } from '../../server/usage-error.ts'
import {
  type Call,
  type Command,
  EXIT,
  type ExitCode,
  type Input,
  type Output,
  type Streams,
} from '../command.ts'
import {
  isOfScript,
  moreRowsText,
  runScript,
  doneText as scriptDoneText,
  stopOf,
} from '../connection/run-script.ts'
import {
  connectionOf,
  SERVER_FLAGS,
  SERVER_FLAGS_FROM_ENVIRONMENT,
} from '../connection/server-connection.ts'
import { exitCodeOfServer, mayWrite } from '../connection/server-failure.ts'
import { fileProblem } from '../file-problem.ts'
import { failureView } from '../results/failure-view.ts'
import { ResultsWriter } from '../results/results-writer.ts'
import { modeOf, VIEW_FLAGS, viewOptionsOf } from '../results/view-options.ts'
import { parametersOf } from './given-parameters.ts'

export const QUERY: Command = {
  name: 'query',
  summary: 'send statements to a server, as one transaction, and print their rows',
  usage: [
    "[URL] 'SQL' [--param name=value …] [--mode table|json|csv|…]",
    "[URL] 'SCAN …' --all 'SET … WHERE id = :id' [--param name=value …]",
    '[URL] - < file',
  ],
  details: [
    'Sends statements as one request, which is one transaction, and prints their rows: as a table on a terminal,',
    'else as NDJSON. Without a text, or for -, it is read from standard input. A SCAN is read by the page, however',
    'long it is. Definitions among other statements make it a script, in which each part is committed alone, and it',
    'says so. Values of --param are JSON where they are JSON, else texts. Exit code 0: done, 1: a statement',
    'failed, 3: no connection, 4: no answer came to what may have been written.',
    '',
    'With --all its statement is run for each row of the SCAN, whose columns are its parameters, in transactions of',
    'up to 500 rows. After an error it can be called again: the SCAN finds what is left.',
  ],
  flags: {
    ...SERVER_FLAGS,
    param: {
      kind: 'list',
      default: '',
      meaning: 'value of a parameter: id=bob for :id, 1=bob for $1',
    },
    all: {
      kind: 'text',
      default: '',
      meaning: 'statement to run for each row of the SCAN, by :column, in batches',
    },
    ...VIEW_FLAGS,
  },
  fromEnvironment: SERVER_FLAGS_FROM_ENVIRONMENT,
  wordsMax: 2,
  run,
}

async function run(call: Call, { input, output, errors }: Streams): Promise<ExitCode> {
  const { db, words } = connectionOf(call, { wordsMax: 1 })
  const params = parametersOf(call.all('param'))
  const sql = await statementText(words[0], input)
  const mode = modeOf(call, output)
  const view = viewOptionsOf(call, output)
  const writer = new ResultsWriter(
    () => mode,
    view,
    (text) => output.write(text),
  )
  const each = call.text('all')
  try {
    if (each === '') await show(db, { sql, params }, writer, errors)
    else output.write(doneText(await forAll(db, sql, each, params === undefined ? {} : { params })))
    return EXIT.done
  } catch (error) {
    errors.write(failureView(error, each || sql))
    if (!(error instanceof PercoliteError)) return EXIT.failed
    const { done } = error.fields as { readonly done?: ForAllResult }
    const stop = stopOf(error)
    if (stop !== undefined) errors.write(`${scriptDoneText(stop)}\n`)
    else if (done !== undefined) errors.write(`Before that: ${doneText(done)}`)
    const code = exitCodeOfServer(error, { mayWrite: mayWrite(each || sql) })
    if (code === EXIT.unknownOutcome)
      errors.write('It may have been done, or not: read before you send it again.\n')
    return code
  }
}

function doneText({ rows, rowsAffected, transactions }: ForAllResult): string {
  const each = `${rows} ${rows === 1 ? 'row' : 'rows'} of the SCAN are done`
  return `${each}, in transactions: ${transactions}, rows affected: ${rowsAffected}.\n`
}

/** Rejects with PercoliteError. */
async function show(
  db: Database,
  { sql, params }: { readonly sql: string; readonly params: Parameters | undefined },
  writer: ResultsWriter,
  errors: Output,
): Promise<void> {
  try {
    await showPages(db, { sql, params }, writer)
  } catch (error) {
    if (!isOfScript(error) || params !== undefined) throw error
    errors.write(
      'It has definitions, so that it is run as a script: each part is committed alone.\n',
    )
    const { ran, failure } = await runScript(db, sql)
    if (ran !== undefined) {
      writer.page(ran)
      writer.end()
      errors.write(moreRowsText(ran, 'line'))
    }
    if (failure !== undefined) throw failure
  }
}

async function showPages(
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
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
  } catch (error) {
    throw fileProblem('standard input', error)
  }
}
