// SPDX-License-Identifier: Apache-2.0

import type { IToken } from 'chevrotain'
import { rewrite } from '../syntax-error/wrong-statement.ts'

/** Some tokens in a row, and what is written instead of them. */
export type TokenEdit = {
  /** Where the first of them begins: the `position` of a node. */
  readonly offset: number
  /** How many they are, 1 unless given. With 0 the text follows the one that begins there. */
  readonly tokens?: number
  readonly text: string
}

/** The statement with the edited tokens, all others as they were, with the spaces between them. */
export function withEdits(
  text: string,
  tokens: readonly IToken[],
  edits: readonly TokenEdit[],
): string {
  const replaced = new Map<number, string>()
  for (const { offset, tokens: count = 1, text: instead } of edits) {
    const first = tokens.findIndex(({ startOffset }) => startOffset === offset)
    if (count === 0) replaced.set(first, `${tokens[first]?.image} ${instead}`)
    for (let index = first; index < first + count; index += 1) {
      replaced.set(index, index === first ? instead : '')
    }
  }
  return rewrite({ text, tokens }, replaced)
}

/** Whether two trees are the same node by node, wherever in their texts the nodes are. */
export function isSameTree(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return false
  }
  const [parts, others] = [partsOf(one), partsOf(other)]
  return (
    parts.size === others.size &&
    [...parts].every(([name, part]) => others.has(name) && isSameTree(part, others.get(name)))
  )
}

function partsOf(node: object): ReadonlyMap<string, unknown> {
  const parts = Object.entries(node)
  return new Map(parts.filter(([name, part]) => name !== 'position' && part !== undefined))
}

/** The tree with some of its nodes replaced. */
export function withNodes<Tree>(tree: Tree, replaced: ReadonlyMap<unknown, unknown>): Tree {
  if (replaced.has(tree)) return replaced.get(tree) as Tree
  if (typeof tree !== 'object' || tree === null || tree instanceof Uint8Array) return tree
  if (Array.isArray(tree)) return tree.map((each) => withNodes(each, replaced)) as Tree
  const parts = Object.entries(tree).map(([name, part]) => [name, withNodes(part, replaced)])
  return Object.fromEntries(parts)
}
