// SPDX-License-Identifier: Apache-2.0

/** A part of the text. */
export type StatementRange = {
  readonly text: string
  readonly from: number
  readonly to: number
  /** Whether it is known to be one statement. */
  readonly isOne: boolean
}

type TreeNode = { readonly name: string; readonly from: number; readonly to: number }

/** As much of a tree of CodeMirror as is used here. */
type Tree = {
  readonly topNode: TreeNode & { getChildren(name: string): readonly TreeNode[] }
  iterate(parts: { from: number; to: number; enter: (node: TreeNode) => void }): void
}

/** The last statement that begins at or before `cursor`, else the first one; the whole text without a tree. */
export function statementAt(
  tree: Tree | undefined,
  text: string,
  cursor: number,
): StatementRange | undefined {
  if (tree === undefined) {
    return isBlank(text) ? undefined : { text, from: 0, to: text.length, isOne: false }
  }
  const statements = statementsOf(tree, text)
  return statements.findLast(({ from }) => from <= cursor) ?? statements[0]
}

/** All statements of a text in their order, without those that are nothing but their end. */
export function statementsOf(tree: Tree, text: string): StatementRange[] {
  return tree.topNode
    .getChildren('Statement')
    .map(({ from, to }) => ({ text: text.slice(from, to), from, to, isOne: true }))
    .filter((range) => !isBlank(range.text))
}

function isBlank(text: string): boolean {
  return /^[\s;]*$/.test(text)
}

/** The names after `:` and `$` that are not in texts or comments, each once and in their order. */
export function parameterNames(
  tree: Tree | undefined,
  text: string,
  from: number,
  to: number,
): string[] {
  const names = new Set<string>()
  tree?.iterate({
    from,
    to,
    enter: (node) => {
      const variable = node.name === 'SpecialVar' ? text.slice(node.from, node.to) : ''
      // Two colons are a cast.
      if (/^(:[A-Za-z_]\w*|\$\d+)$/.test(variable)) names.add(variable.replace(':', ''))
    },
  })
  return [...names]
}

/** Where a place of the server's, both from 1 and in UTF-16 code units, is in a text. */
export function offsetOf(text: string, line: number, column: number): number {
  let start = 0
  for (let at = 1; at < line; at += 1) {
    const end = text.indexOf('\n', start)
    if (end < 0) break
    start = end + 1
  }
  return Math.min(start + column - 1, text.length)
}

/** The line and the column of a place in a text, both from 1. */
export function placeOf(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  const before = text.slice(0, Math.max(0, offset))
  const line = before.split('\n').length
  return { line, column: before.length - before.lastIndexOf('\n') }
}

/** Where the word or sign ends that begins there; `token` is what the server says stands there. */
export function endOfToken(text: string, from: number, token: string | undefined): number {
  if (token !== undefined && token !== '' && text.startsWith(token, from))
    return from + token.length
  const [word = ''] = /^(?:\w+|"[^"]*"|'[^']*'?|\S)/.exec(text.slice(from)) ?? []
  return from + Math.max(1, word.length)
}
