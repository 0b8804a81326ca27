// SPDX-License-Identifier: Apache-2.0
import { posix } from 'node:path'
import { findCircles, problemOfArrow } from './import-arrows.ts'
import { findOutsideUses, findTurnsByHand } from './outside-world.ts'
import { parseSourceFile, type SourceFile } from './source-file.ts'

const FORBIDDEN_NAME = /(^|\/)((index|types)\.[^/]*|utils?(\.[^/]*)?|common(\.[^/]*)?)(\/|$)/
/** Views are functions with a capital. */
const OTHER_THAN_VIEWS = /^export (?:async function|function|const|let|class) ([a-z]\w*)/gm
/** What a server runs. */
const SERVING = /^(parser|planner|server|storage)\//
const SPDX_LINE = '// SPDX-License-Identifier: Apache-2.0'
// Spelled in two pieces so that this file does not find itself.
const UNFINISHED = new RegExp(`\\b(${'TO'}DO|${'FIX'}ME)\\b`)

/** Checks a tree of sources (path -> text) and says, one sentence each, what breaks a rule. */
export function findRuleBreaks(tree: ReadonlyMap<string, string>): string[] {
  // Style sheets are there to be imported.
  const scripts = [...tree].filter(([path]) => !path.endsWith('.css'))
  const files = scripts.map(([path, text]) => parseSourceFile(path, text))
  const development = new Set(files.filter(isDevelopment).map((file) => file.path))
  const breaks: string[] = []
  for (const file of files) {
    breaks.push(...breaksOfForm(file))
    for (const one of file.imports) {
      const target = one.specifier.startsWith('.')
        ? posix.join(posix.dirname(file.path), one.specifier)
        : one.specifier
      const at = `${file.path}:${one.line}`
      if (target !== one.specifier && !tree.has(target) && !isOutsideTree(target, tree)) {
        breaks.push(`${at} imports ${target}, which does not exist`)
      } else if (!development.has(file.path)) {
        const problem = development.has(target)
          ? 'production code may not import it'
          : problemOfArrow(file.path, target, one)
        if (problem !== undefined) breaks.push(`${at} imports ${target}: ${problem}`)
      }
    }
    if (!development.has(file.path) && SERVING.test(file.path)) {
      for (const line of file.innerGenerators) {
        breaks.push(`${file.path}:${line} makes a generator anew each time (docs/why/memory.md)`)
      }
    }
    if (development.has(file.path)) continue
    if (file.path.startsWith('storage/')) breaks.push(...findOutsideUses(file))
    if (SERVING.test(file.path)) breaks.push(...findTurnsByHand(file))
  }
  return [...breaks, ...findCircles(files)]
}

/** Tests, what they share, and tools may reach into any room, and nothing else may import them. */
function isDevelopment({ path }: SourceFile): boolean {
  return /(\.test|-tests)\.m?[jt]s$/.test(path) || /^(test|tools)\//.test(path)
}

function isOutsideTree(target: string, tree: ReadonlyMap<string, string>): boolean {
  const folder = `${target.split('/')[0]}/`
  return ![...tree.keys()].some((path) => path.startsWith(folder))
}

function breaksOfForm(file: SourceFile): string[] {
  const breaks: string[] = []
  if (FORBIDDEN_NAME.test(file.path)) breaks.push(`${file.path} is not named after one concept`)
  if (file.path.endsWith('.tsx')) {
    for (const [, name] of file.text.matchAll(OTHER_THAN_VIEWS)) {
      breaks.push(`${file.path} exports ${name}, which is no view: give it a .ts file and a test`)
    }
  }
  const lines = file.text.split('\n')
  const first = lines[0]?.startsWith('#!') ? lines[1] : lines[0]
  if (first !== SPDX_LINE) breaks.push(`${file.path}:1 does not begin with the SPDX line`)
  lines.forEach((line, index) => {
    if (UNFINISHED.test(line)) breaks.push(`${file.path}:${index + 1} says it is unfinished`)
  })
  return breaks
}
