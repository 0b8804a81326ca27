// SPDX-License-Identifier: Apache-2.0
import ts from 'typescript'

// What can be counted of a tidy tree. Each finding has the name under which it may stand in the list of
// exceptions, what was counted, and what is to be done about it.

export const FILE_LINES_MAX = 400
export const FOLDER_FILES_MAX = 20
export const FUNCTION_LINES_MAX = 60
export const LINE_LENGTH_MAX = 120
export const SUBJECT_LENGTH_MAX = 72
export const DOOR_NAMES_MAX = 110
export const NPM_SCRIPTS_MAX = 32

/** Texts by their paths. */
export type Tree = ReadonlyMap<string, string>

/** `name` is what an exception calls it; it allows `count` and less. */
export type Finding = { readonly name: string; readonly count: number; readonly message: string }

/** Made from something else, by a command. */
const GENERATED = /\.gen\.ts$/
const SOURCE = /\.(m?[jt]s|tsx)$/

function* written(tree: Tree, kind: RegExp): Generator<readonly [path: string, text: string]> {
  for (const [path, text] of tree) if (kind.test(path) && !GENERATED.test(path)) yield [path, text]
}

export function longFiles(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const [path, text] of written(tree, SOURCE)) {
    const count = text.trimEnd().split('\n').length
    if (count <= FILE_LINES_MAX) continue
    const message = `${path} has ${count} lines, above ${FILE_LINES_MAX}: find its second concept and give it a file`
    found.push({ name: path, count, message })
  }
  return found
}

/** Tests stand beside what they test, and are not counted. */
export function fullFolders(tree: Tree): Finding[] {
  const counts = new Map<string, number>()
  for (const [path] of written(tree, SOURCE)) {
    if (path.includes('.test.')) continue
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > FOLDER_FILES_MAX)
    .map(([name, count]) => {
      const message = `${name} has ${count} files, above ${FOLDER_FILES_MAX}: find its rooms and give each a folder`
      return { name, count, message }
    })
}

/** Counts the lines of each function without those of the functions inside it, which are counted by themselves. */
export function longFunctions(tree: Tree): Finding[] {
  return [...written(tree, SOURCE)].flatMap(([path, text]) =>
    text.split('\n').length > FUNCTION_LINES_MAX ? longFunctionsOf(path, text) : [],
  )
}

function longFunctionsOf(path: string, text: string): Finding[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line
  const found: Finding[] = []
  /** How many lines of `node` are of functions: of itself, or else of those inside it. */
  const visit = (node: ts.Node): number => {
    let inner = 0
    ts.forEachChild(node, (child) => {
      inner += visit(child)
    })
    if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return inner
    const first = lineOf(node.getStart(source))
    const lines = lineOf(node.end) - first + 1
    const count = lines - inner
    if (count > FUNCTION_LINES_MAX) {
      const message = `${path}:${first + 1} begins a function of ${count} lines, above ${FUNCTION_LINES_MAX}: give its steps names`
      found.push({ name: `${path} ${nameOf(node)}`, count, message })
    }
    return lines - 1
  }
  visit(source)
  return found
}

/** The name of a function, or the text with which a test is called. */
function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText()
  const call = ts.isCallExpression(node.parent) ? node.parent : undefined
  const title = call?.arguments.find(ts.isStringLiteralLike)
  if (title !== undefined) return title.text
  return ts.isVariableDeclaration(node.parent) ? node.parent.name.getText() : '(no name)'
}

const COMMENT = /^\s*(\/\/|\/?\*)/

/** Lines of comments and of prose; what cannot be broken (tables, examples, addresses) may be longer. */
export function longLines(tree: Tree): Finding[] {
  const found: Finding[] = []
  const check = (path: string, line: string, index: number) => {
    if ([...line].length <= LINE_LENGTH_MAX) return
    const message = `${path}:${index + 1} is longer than ${LINE_LENGTH_MAX} characters: break it`
    found.push({ name: path, count: [...line].length, message })
  }
  for (const [path, text] of written(tree, SOURCE)) {
    text.split('\n').forEach((line, index) => {
      if (COMMENT.test(line)) check(path, line, index)
    })
  }
  for (const [path, text] of written(tree, /\.md$/)) {
    let isExample = false
    text.split('\n').forEach((line, index) => {
      const isFence = /^\s*(```|~~~)/.test(line)
      if (isFence) isExample = !isExample
      const isFixed = isFence || isExample || /^\s*\|/.test(line)
      if (!isFixed) check(path, line.replaceAll(/\]\([^)]*\)/g, ']'), index)
    })
  }
  return found
}

export type Word = { readonly word: string; readonly instead: string }

export function unusedWords(tree: Tree, words: readonly Word[]): Finding[] {
  const found: Finding[] = []
  for (const [path, text] of written(tree, /\.(m?[jt]s|tsx|md)$/)) {
    for (const { word, instead } of words) {
      const at = text.search(new RegExp(`(?<![\\w])${word}(?![\\w])`, 'i'))
      if (at < 0) continue
      const line = text.slice(0, at).split('\n').length
      const message = `${path}:${line} says "${word}": ${instead}`
      found.push({ name: path, count: 1, message })
    }
  }
  return found
}

export type Name = { readonly name: string; readonly max: number; readonly instead: string }

/** Names that stand in the code of the product, without comments, more often than they may. */
export function overusedNames(tree: Tree, names: readonly Name[]): Finding[] {
  const code = [...tree].filter(
    ([path]) => PRODUCT.test(path) && !/(\.test|\.gen)\.tsx?$/.test(path),
  )
  return names.flatMap(({ name, max, instead }) => {
    const pattern = new RegExp(`(?<!\\w)(?:${name})(?!\\w)`, 'g')
    const places = code.flatMap(([path, text]) =>
      text.split('\n').flatMap((line, at) => {
        const found = COMMENT.test(line) ? [] : (line.match(pattern) ?? [])
        return found.map((word) => `${path}:${at + 1} ${word}`)
      }),
    )
    const count = places.length
    const message = `the code says "${name}" ${count} times, above ${max}: ${instead}\n${places.join('\n')}`
    return count > max ? [{ name, count, message }] : []
  })
}

const PRODUCT = /^(server|storage|planner|parser|engines|cli|client-sdk|console)\/.*\.tsx?$/

/** What is wrong with the subject of a commit; undefined if nothing. */
export function problemOfSubject(subject: string): string | undefined {
  const { length } = [...subject]
  if (length > SUBJECT_LENGTH_MAX) {
    return `"${subject}" has ${length} characters, above ${SUBJECT_LENGTH_MAX}: say it in less, the rest is for the body`
  }
  if (!/^[a-z][a-z-]*: \S/.test(subject)) {
    return `"${subject}" does not begin with a room: write "room: what changed"`
  }
  return undefined
}

/** What is found and no exception allows, and exceptions that nothing needs any more, because the lists only shrink. */
export function beyondExceptions(
  found: readonly Finding[],
  exceptions: Readonly<Record<string, number>>,
): string[] {
  const names = new Set<string>()
  const problems: string[] = []
  for (const { name, count, message } of found) {
    names.add(name)
    if (count > (exceptions[name] ?? 0)) problems.push(message)
  }
  for (const name of Object.keys(exceptions)) {
    if (names.has(name)) continue
    problems.push(
      `"${name}" is no longer needed as an exception: take it out of tidy-exceptions.ts`,
    )
  }
  return problems
}

/** Doors are files that only export what others declare. */
export function wideDoors(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const [name, text] of written(tree, /^storage\/.*\.ts$/)) {
    const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from /gm)]
    const count = lists
      .flatMap(([, list = '']) => list.split(','))
      .filter((one) => one.trim() !== '').length
    if (count <= DOOR_NAMES_MAX) continue
    const message = `${name} exports ${count} names, above ${DOOR_NAMES_MAX}: give one of its rooms a door`
    found.push({ name, count, message })
  }
  return found
}
