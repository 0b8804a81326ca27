// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import type { Database, Schemas } from '../../client-sdk/client.ts'
import { UsageError } from '../../server/usage-error.ts'
import { type Call, type Command, EXIT, type ExitCode, type Streams } from '../command.ts'
import {
  connectionOf,
  SERVER_FLAGS,
  SERVER_FLAGS_FROM_ENVIRONMENT,
} from '../connection/server-connection.ts'
import { exitCodeOfServer } from '../connection/server-failure.ts'
import { fileProblem } from '../file-problem.ts'
import { sourceBytes } from '../named-file.ts'
import { failureView } from '../results/failure-view.ts'
import { KYSELY_IMPORT, KYSELY_NAMES, kyselyTypesText } from './kysely-types-text.ts'
import { MigrationRefused, migratedServer } from './migrated-server.ts'
import {
  described,
  type StatementProblem,
  statementsOf,
  statementTypesText,
} from './statement-types.ts'
import { jsonTypesText, tableTypesText } from './table-types-text.ts'
import { DECIMAL_CLASS, textType, type ValueModes } from './type-text.ts'

export const TYPES: Command = {
  name: 'types',
  summary: 'write the types of tables and statements for TypeScript',
  usage: [
    "[URL | --migrations DIR] [--out db.ts] [--statements 'src/**/*.{ts,tsx}'] [--kysely] [--check]",
  ],
  details: [
    'Writes the types that connect<Schema, Statements>() of @percolite/client takes: Schema from the tables that',
    'the token may know of, and with --statements the rows and parameters of the texts that the programs give to',
    'query, scan, page, live, subscribe and sql. A text that has no plan is an error. With --kysely it writes the type',
    'Database as well, for @percolite/client/kysely. With --migrations the tables are those that its files make in an',
    'empty server of this process. Exit code 0: done, 1: a statement has no plan, a migration fails, or with --check',
    'the file differs, 3: no connection.',
  ],
  flags: {
    ...SERVER_FLAGS,
    migrations: {
      kind: 'file',
      default: '',
      meaning: 'folder of files for percolite migrate, in place of a server',
    },
    out: { kind: 'file', default: '', meaning: 'file to write; else it is standard output' },
    check: {
      kind: 'switch',
      default: 'false',
      meaning: 'write nothing, and tell whether the file is as it would be written',
    },
    statements: { kind: 'text', default: '', meaning: 'pattern of the files of a program' },
    kysely: {
      kind: 'switch',
      default: 'false',
      meaning: 'write the type Database of Kysely, too',
    },
    integers: {
      kind: 'choice',
      choices: ['number', 'bigint'],
      default: 'number',
      meaning: 'as in the options of connect',
    },
    decimal: {
      kind: 'text',
      default: 'string',
      meaning: "string, or what connect makes of it: 'Big from big.js'",
    },
    json: {
      kind: 'text',
      default: 'number',
      meaning: 'number, text (as in connect), or a file with the type Json',
    },
  },
  fromEnvironment: SERVER_FLAGS_FROM_ENVIRONMENT,
  wordsMax: 1,
  run,
}

const HEAD = `// Made by percolite types. Not to be edited: make it again when the tables have changed.\n`

async function run(call: Call, streams: Streams): Promise<ExitCode> {
  const folder = call.given('migrations')
  const { db } = connectionOf(call, { wordsMax: 0 })
  if (folder === undefined) return await writeTypes(db, call, streams)
  if (call.words.length > 0 || call.onCommandLine.has('url')) {
    throw new UsageError('--migrations stands in place of the address of a server.')
  }
  try {
    await using migrated = await migratedServer(folder)
    return await writeTypes(migrated.db, call, streams)
  } catch (error) {
    if (!(error instanceof MigrationRefused)) throw error
    streams.errors.write(error.message)
    return EXIT.failed
  }
}

async function writeTypes(db: Database, call: Call, streams: Streams): Promise<ExitCode> {
  const { output, errors } = streams
  const out = call.given('out')
  if (call.isOn('check') && out === undefined) throw new UsageError('--check needs --out.')
  const json = call.text('json')
  const isFile = json.endsWith('.ts')
  if (!isFile && json !== 'number' && json !== 'text') {
    throw new UsageError(`--json ${json}: it is number, text, or a file that ends in .ts.`)
  }
  const jsonFile = isFile ? importedFrom(out, json) : undefined
  const decimal = decimalOf(call.text('decimal'))
  const modes = {
    integers: call.text('integers'),
    decimal: decimal === '' ? 'string' : DECIMAL_CLASS,
    json: json === 'text' ? 'text' : 'number',
    hasJsonFile: isFile,
  } as ValueModes
  const pattern = call.given('statements')
  const statements = pattern === undefined ? undefined : statementsOf(pattern)
  try {
    const tables = await tablesOf(db)
    const isKysely = call.isOn('kysely')
    const imports = (isKysely ? KYSELY_IMPORT : '') + decimal + jsonTypesText(jsonFile)
    let text = HEAD + imports + tableTypesText(tables, modes, isKysely ? KYSELY_NAMES : [])
    if (isKysely) text += `\n${kyselyTypesText(tables, modes)}`
    if (statements !== undefined) {
      const { known, problems } = await described(db, statements)
      for (const problem of problems) errors.write(problemText(problem))
      if (problems.length > 0) return EXIT.failed
      text += `\n${statementTypesText(known, tables, modes)}`
    }
    if (call.isOn('check')) return checked(out ?? '', text, streams)
    if (out === undefined) output.write(text)
    else write(out, text)
    return EXIT.done
  } catch (error) {
    if (error instanceof UsageError) throw error
    errors.write(failureView(error, ''))
    return exitCodeOfServer(error)
  }
}

/** The import of the class of `Big from big.js`; nothing for a string. Throws UsageError. */
function decimalOf(text: string): string {
  if (text === 'string') return ''
  const [, name, module] = /^([A-Za-z_$][\w$]*) from (\S+)$/.exec(text) ?? []
  if (name !== undefined && module !== undefined) {
    return `import type { ${name} as ${DECIMAL_CLASS} } from ${textType(module)}\n\n`
  }
  throw new UsageError(`--decimal ${text}: it is string, or a class such as 'Big from big.js'.`)
}

/** How the file that is written names another one. Throws UsageError where that is none. */
function importedFrom(out: string | undefined, path: string): string {
  if (textOf(path, '--json') === undefined) {
    throw new UsageError(`--json ${path}: there is no such file.`)
  }
  const name = relative(dirname(out ?? 'db.ts'), path).replaceAll('\\', '/')
  return name.startsWith('.') ? name : `./${name}`
}

/** Throws UsageError. */
function write(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (error) {
    throw fileProblem(`--out ${path}`, error)
  }
}

/** Of `percolite migrate`, which no program reads. */
const LEFT_OUT = 'percoliteMigration'

/** Those that the token may know of, by their names. Rejects with PercoliteError. */
async function tablesOf(db: Database): Promise<ReadonlyArray<Schemas['Table']>> {
  const { tables } = await db.request<Schemas['TableList']>('GET', '/v1/tables')
  return tables
    .filter(({ name }) => name !== LEFT_OUT)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

function problemText({ path, line, sql, error }: StatementProblem): string {
  return `percolite: ${path}:${line}\n${failureView(error, sql)}`
}

/** Tells where the file differs, if it does. */
function checked(path: string, wanted: string, { errors }: Streams): ExitCode {
  const text = textOf(path)
  if (text === undefined) {
    errors.write(
      `percolite: ${path}: there is no such file; the same call without --check makes it.\n`,
    )
    return EXIT.failed
  }
  const lines = wanted.split('\n')
  const found = text.split('\n')
  const index = lines.findIndex((line, at) => line !== found[at])
  if (index < 0 && lines.length === found.length) return EXIT.done
  const at = index < 0 ? lines.length : index
  errors.write(
    `percolite: ${path}:${at + 1} differs from the tables and statements as they are: it is\n` +
      `  ${found[at] ?? '(its end)'}\nand would be\n  ${lines[at] ?? '(its end)'}\n`,
  )
  return EXIT.failed
}

/** Undefined where there is no such file. Throws UsageError. */
function textOf(path: string, flag = '--out'): string | undefined {
  try {
    return sourceBytes(path).toString('utf8').replaceAll('\r\n', '\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fileProblem(`${flag} ${path}`, error)
  }
}
