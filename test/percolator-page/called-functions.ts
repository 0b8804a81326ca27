// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What Node.js writes into the folder `NODE_V8_COVERAGE`, one file for each thread. */
type Coverage = {
  readonly result: ReadonlyArray<{
    readonly url: string
    readonly functions: ReadonlyArray<{
      readonly functionName: string
      readonly ranges: ReadonlyArray<{
        readonly startOffset: number
        readonly endOffset: number
        readonly count: number
      }>
    }>
  }>
}

/** A function in its file: both offsets are of the source text. */
type Place = { readonly start: number; readonly end: number }

/** How many times a process has called the functions of its files. */
export class CalledFunctions {
  readonly #files: readonly Coverage[]

  /** Reads what a process that has ended has left in `folder`. */
  constructor(folder: string) {
    this.#files = readdirSync(folder).map((name) =>
      JSON.parse(readFileSync(join(folder, name), 'utf8')),
    )
  }

  /** `name` is `function` or `Class.method`. Throws when the file has no such function. */
  calls(path: string, name: string): number {
    const place = placeOf(path, name)
    const url = pathToFileURL(join(ROOT, path)).href
    const functionName = name.split('.').at(-1)
    return this.#files
      .flatMap(({ result }) => result)
      .filter((script) => script.url === url)
      .flatMap(({ functions }) => functions)
      .filter((one) => one.functionName === functionName)
      .flatMap(({ ranges }) => ranges.slice(0, 1))
      .filter(({ startOffset, endOffset }) => place.start <= startOffset && endOffset <= place.end)
      .reduce((sum, { count }) => sum + count, 0)
  }
}

function placeOf(path: string, name: string): Place {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const [first = '', method] = name.split('.')
  const found = source.statements.flatMap((statement): readonly ts.Node[] => {
    if (ts.isFunctionDeclaration(statement)) return nameOf(statement) === name ? [statement] : []
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.filter((one) => nameOf(one) === name)
    }
    if (!ts.isClassDeclaration(statement) || nameOf(statement) !== first) return []
    return statement.members.filter(
      (member) => ts.isMethodDeclaration(member) && nameOf(member) === method,
    )
  })
  if (found.length !== 1) throw new Error(`${path} has ${found.length} functions ${name}`)
  const [{ pos, end }] = found as [ts.Node]
  return { start: pos, end }
}

function nameOf({ name }: { readonly name?: ts.Node | undefined }): string | undefined {
  return name?.getText()
}
