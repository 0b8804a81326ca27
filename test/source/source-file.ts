// SPDX-License-Identifier: Apache-2.0
import { readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import ts from 'typescript'

/** One import as written: `import`, `export … from`, `import()`, `import('…').Type`, a worker's URL. */
export type Import = {
  readonly specifier: string
  readonly typeOnly: boolean
  readonly line: number
}

/** A name of the global scope that the code uses as a value; `Math.random` counts as one name. */
export type GlobalUse = { readonly name: string; readonly line: number }

/** What the rules about the source need to know of one file. */
export type SourceFile = {
  readonly path: string
  readonly text: string
  readonly imports: readonly Import[]
  readonly globalUses: readonly GlobalUse[]
  /**
   * Lines of generators that are made anew each time the code around them runs: no function of the
   * module or method of a class.
   */
  readonly innerGenerators: readonly number[]
}

const SOURCE_NAME = /\.(m?[jt]s|tsx|css)$/

/** Reads every source file below `folders` of `root`; paths are relative to it and use slashes. */
export async function readSourceTree(root: string, folders: readonly string[]) {
  const tree = new Map<string, string>()
  const present = new Set(await readdir(root))
  for (const folder of folders) {
    // A room that is not built yet has no folder; git keeps no empty ones.
    if (!present.has(folder)) continue
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true })
    for (const entry of entries) {
      if (!entry.isFile() || !SOURCE_NAME.test(entry.name)) continue
      const path = join(entry.parentPath, entry.name)
      if (/[\\/](node_modules|dist)[\\/]/.test(path)) continue
      tree.set(posix.relative(toSlashes(root), toSlashes(path)), await readFile(path, 'utf8'))
    }
  }
  return tree
}

function toSlashes(path: string): string {
  return path.replaceAll('\\', '/')
}

export function parseSourceFile(path: string, text: string): SourceFile {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const imports: Import[] = []
  const globalUses: GlobalUse[] = []
  const innerGenerators: number[] = []
  const lineOf = (node: ts.Node) => tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1

  const visit = (node: ts.Node): void => {
    const found = importOf(node)
    if (found !== undefined) imports.push({ ...found, line: lineOf(node) })
    const name = globalNameOf(node)
    if (name !== undefined) globalUses.push({ name, line: lineOf(node) })
    if (isInnerGenerator(node)) innerGenerators.push(lineOf(node))
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return { path, text, imports, globalUses, innerGenerators }
}

function isInnerGenerator(node: ts.Node): boolean {
  const isGenerator =
    (ts.isFunctionExpression(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isMethodDeclaration(node)) &&
    node.asteriskToken !== undefined
  if (!isGenerator) return false
  const isOfClass = ts.isMethodDeclaration(node) && ts.isClassDeclaration(node.parent)
  const made = isOfClass ? node.parent : node
  return ts.findAncestor(made.parent, ts.isFunctionLike) !== undefined
}

function importOf(node: ts.Node): Omit<Import, 'line'> | undefined {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    return { specifier: node.moduleSpecifier.text, typeOnly: onlyTypes(node.importClause) }
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    const elements = node.exportClause !== undefined && ts.isNamedExports(node.exportClause)
    const typeOnly =
      node.isTypeOnly ||
      (elements && (node.exportClause as ts.NamedExports).elements.every((one) => one.isTypeOnly))
    return { specifier: (node.moduleSpecifier as ts.StringLiteral).text, typeOnly }
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { specifier: (node.argument.literal as ts.StringLiteral).text, typeOnly: true }
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [first] = node.arguments
    // An import of a computed name cannot be checked, so it is not allowed to hide here.
    const specifier =
      first !== undefined && ts.isStringLiteralLike(first) ? first.text : '(computed)'
    return { specifier, typeOnly: false }
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'URL') {
    // A path for `spawn` is no import: the other process shares nothing with this one.
    if (ts.isCallExpression(node.parent) && node.parent.expression.getText() === 'fileURLToPath') {
      return undefined
    }
    const [first, base] = node.arguments ?? []
    if (base?.getText() !== 'import.meta.url' || first === undefined) return undefined
    if (!ts.isStringLiteralLike(first) || !/\.m?[jt]s$/.test(first.text)) return undefined
    return { specifier: first.text.replace(/^(?!\.)/, './'), typeOnly: false }
  }
  return undefined
}

function onlyTypes(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false
  if (clause.isTypeOnly) return true
  const bindings = clause.namedBindings
  if (clause.name !== undefined || bindings === undefined || ts.isNamespaceImport(bindings)) {
    return false
  }
  return bindings.elements.every((element) => element.isTypeOnly)
}

/** Objects whose members are told apart: `Math.max` is no randomness. */
const HOLDERS = new Set(['Math', 'crypto', 'process'])

/** An identifier that is neither a property, a declared name, a key nor a type. */
function globalNameOf(node: ts.Node): string | undefined {
  if (!ts.isIdentifier(node)) return undefined
  const parent = node.parent
  if (ts.isPropertyAccessExpression(parent)) {
    if (parent.name === node) return undefined
    if (node.text === 'globalThis') return parent.name.text
    return HOLDERS.has(node.text) ? `${node.text}.${parent.name.text}` : node.text
  }
  const isElsewhere =
    ts.isTypeReferenceNode(parent) ||
    ts.isQualifiedName(parent) ||
    ts.isImportSpecifier(parent) ||
    ts.isExportSpecifier(parent) ||
    ts.isPropertySignature(parent) ||
    ts.isMethodSignature(parent) ||
    (isMember(parent) && parent.name === node)
  return isElsewhere ? undefined : node.text
}

function isMember(node: ts.Node): node is ts.ObjectLiteralElement | ts.ClassElement {
  return ts.isClassElement(node) || (ts.isObjectLiteralElement(node) && !isShorthand(node))
}

/** `{ fetch }` is a use of `fetch`, unlike `{ fetch: 1 }`. */
function isShorthand(node: ts.Node): boolean {
  return ts.isShorthandPropertyAssignment(node)
}
