// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const FOLDER = new URL('../../client-sdk/', import.meta.url)
const TSCONFIG = fileURLToPath(new URL('tsconfig.json', FOLDER))

type Problem = { readonly line: number; readonly words: string; readonly at: string }

/** What the compiler says of lines that stand below others, by their numbers from zero, and of which part of them. */
export function problemsOf(above: string, lines: readonly string[]): Problem[] {
  const { config } = ts.readConfigFile(TSCONFIG, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, fileURLToPath(FOLDER))
  const path = fileURLToPath(new URL('program-that-is-not.ts', FOLDER))
  const text = `${above}${lines.map((line) => `${line};\n`).join('')}`
  const host = ts.createCompilerHost(options)
  const readFile = host.getSourceFile.bind(host)
  host.getSourceFile = (name, ...more) =>
    name === path
      ? ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
      : readFile(name, ...more)
  const program = ts.createProgram([path], { ...options, noEmit: true }, host)
  const source = program.getSourceFile(path)
  assert.ok(source !== undefined)
  const first = above.split('\n').length - 1
  return program.getSemanticDiagnostics(source).map(({ start = 0, length, messageText }) => ({
    line: source.getLineAndCharacterOfPosition(start).line - first,
    words: ts.flattenDiagnosticMessageText(messageText, '\n'),
    at: text.slice(start, start + (length ?? 0)),
  }))
}
