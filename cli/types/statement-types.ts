// SPDX-License-Identifier: Apache-2.0
import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type Database, PercoliteError, type Schemas } from '../../client-sdk/client.ts'
import { createParser } from '../../parser/parser.ts'
import { UsageError } from '../../server/usage-error.ts'
import { fileProblem } from '../file-problem.ts'
import { sourceBytes } from '../named-file.ts'
import { textsIn } from './program-texts.ts'
import { columnTypes } from './table-types-text.ts'
import {
  givenType,
  objectType,
  orNull,
  propertyName,
  textType,
  type ValueModes,
  valueType,
} from './type-text.ts'

/** A statement of a program, and where it is for the first time. */
export type PlacedStatement = {
  readonly sql: string
  readonly isTemplate: boolean
  readonly path: string
  readonly line: number
}

export type StatementProblem = PlacedStatement & { readonly error: PercoliteError }

type Described = PlacedStatement & { readonly description: Schemas['DescribedStatement'] }

/** The statements of the files of a pattern, each text once. Throws UsageError where there is no file. */
export function statementsOf(pattern: string): readonly PlacedStatement[] {
  const paths = globSync(pattern, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative('.', join(parentPath, name)))
    .filter((path) => !path.includes('node_modules'))
  if (paths.length === 0) throw new UsageError(`--statements ${pattern}: there is no such file.`)
  const placed = new Map<string, PlacedStatement>()
  for (const path of paths.toSorted()) {
    const source = sourceOf(path)
    for (const { sql, isTemplate, offset } of textsIn(source, MAY_HAVE_JSX.test(path))) {
      const key = `${isTemplate} ${sql}`
      const line = source.slice(0, offset).split('\n').length
      if (!placed.has(key)) placed.set(key, { sql, isTemplate, path, line })
    }
  }
  return [...placed.values()]
}

/** In TypeScript alone `<A>` may be a type in front of a value. */
const MAY_HAVE_JSX = /(?:sx|js)$/

/** Throws UsageError. */
function sourceOf(path: string): string {
  try {
    return sourceBytes(path).toString('utf8')
  } catch (error) {
    throw fileProblem(`--statements: ${path}`, error)
  }
}

/**
 * What the server knows of each statement, and which have no plan. A text of several statements is neither: it can be
 * run, and its rows are not known. Rejects with PercoliteError where the server cannot be asked.
 */
export async function described(db: Database, statements: readonly PlacedStatement[]) {
  const known: Described[] = []
  const problems: StatementProblem[] = []
  for (const statement of statements) {
    try {
      const { sql } = statement
      const description = await db.request<Described['description']>('POST', '/v1/describe', {
        sql,
      })
      known.push({ ...statement, description })
    } catch (error) {
      if (!(error instanceof PercoliteError) || !isAboutText(error)) throw error
      if (!isOfSeveral(error)) problems.push({ ...statement, error })
    }
  }
  return { known, problems }
}

/** What the server says of the text, and not of the request. */
function isAboutText({ httpStatus = 0, code }: PercoliteError): boolean {
  return code !== 'unauthenticated' && [400, 403, 404, 413].includes(httpStatus)
}

function isOfSeveral({ fields }: PercoliteError): boolean {
  return fields.parameter === 'sql' && typeof fields.actual === 'number' && fields.actual > 1
}

/** The map of the texts to their rows and parameters, without templates, whose texts the compiler does not know. */
export function statementTypesText(
  known: readonly Described[],
  tables: ReadonlyArray<Schemas['Table']>,
  modes: ValueModes,
): string {
  const parser = createParser({ skipValidations: true })
  const columnsOf = new Map(tables.map((table) => [table.name, columnTypes(table, modes)]))
  // What a read of one table answers under the name of a column is that column.
  const ofTable = (sql: string) => {
    const [read] = parser.parseScript(sql)
    if (read?.kind !== 'get' && read?.kind !== 'scan') return undefined
    const isOne = read.kind === 'get' || read.lookups === undefined
    const { projection } = read
    const isPlain =
      projection.kind === 'allColumns' ||
      projection.items.every(
        (item) =>
          item.kind === 'expression' &&
          item.expression.kind === 'column' &&
          item.label === item.expression.name,
      )
    return isOne && isPlain ? columnsOf.get(read.table.text) : undefined
  }
  const members = known
    .filter(({ isTemplate }) => !isTemplate)
    .toSorted((one, other) => (one.sql < other.sql ? -1 : 1))
    .map(({ sql, description }) => {
      const row = rowType(description, ofTable(sql), modes)
      const params = parametersType(description)
      return `  ${textType(sql)}: {\n    row: ${row}\n    params: ${params}\n  }\n`
    })
  return `export type Statements = {\n${members.join('')}}\n`
}

function rowType(
  { columns }: Described['description'],
  known: ReadonlyMap<string, string> | undefined,
  modes: ValueModes,
): string {
  if (columns === undefined) return 'unknown'
  if (columns.length === 0) return 'never'
  return objectType(
    columns.map(({ name, type, nullable }) => {
      const value = valueType(type, modes)
      return [name, known?.get(name) ?? (nullable === false ? value : orNull(value))]
    }),
  )
}

function parametersType({ parameters }: Described['description']): string {
  const named = parameters.filter(({ name }) => typeof name === 'string')
  if (named.length > 0) {
    const members = named.map(
      (each) => `readonly ${propertyName(String(each.name))}: ${typeOf(each)}`,
    )
    return `{ ${members.join('; ')} }`
  }
  const numbers = parameters.map(({ name }) => Number(name))
  const types = Array.from({ length: Math.max(0, ...numbers) }, (_, index) => {
    const parameter = parameters.find(({ name }) => name === index + 1)
    return parameter === undefined ? 'unknown' : typeOf(parameter)
  })
  return `readonly [${types.join(', ')}]`
}

function typeOf({ type, list }: Described['description']['parameters'][number]): string {
  const value = orNull(givenType(type))
  return list ? `ReadonlyArray<${value}>` : value
}
