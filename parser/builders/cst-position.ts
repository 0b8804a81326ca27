// SPDX-License-Identifier: Apache-2.0

import type { CstNode, IToken } from 'chevrotain'
import type { Position } from '../ast.ts'

// Chevrotain types every figure of a location as optional, since it can be told not to track them;
// the lexer and the grammar here track all, and no rule but the script itself can be empty.

export function positionOfToken(token: IToken): Position {
  return {
    line: token.startLine as number,
    column: token.startColumn as number,
    offset: token.startOffset,
  }
}

export function positionOfNode(node: CstNode): Position {
  const location = node.location as NonNullable<CstNode['location']>
  return {
    line: location.startLine as number,
    column: location.startColumn as number,
    offset: location.startOffset,
  }
}

/** The text from the first to the last character of a node, as the user wrote it. */
export function textOfNode(node: CstNode, text: string): string {
  const location = node.location as NonNullable<CstNode['location']>
  return text.slice(location.startOffset, (location.endOffset as number) + 1)
}

/** The one element that the grammar guarantees. */
export function only<Element>(elements: readonly Element[] | undefined): Element {
  return (elements as readonly [Element])[0]
}
