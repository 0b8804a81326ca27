// SPDX-License-Identifier: Apache-2.0

import type { CreateBlockStatement, DropBlockStatement, Position } from '../ast.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import { only, positionOfToken } from './cst-position.ts'
import { unquoted } from './literal.ts'
import { expiryOf } from './token-builder.ts'

// The position of a definition is that of its first word, which stands outside of these nodes.

export function buildNewBlock(
  { children }: cst.NewBlockCstNode,
  position: Position,
): CreateBlockStatement {
  const { expiry } = children
  return {
    kind: 'createBlock',
    subject: subjectOf(only(children.block)),
    ...(expiry === undefined ? {} : { expires: expiryOf({ expiry }) }),
    position,
  }
}

export function buildDroppedBlock(node: cst.BlockCstNode, position: Position): DropBlockStatement {
  return { kind: 'dropBlock', subject: subjectOf(node), position }
}

function subjectOf({ children }: cst.BlockCstNode): CreateBlockStatement['subject'] {
  const text = only(children.Text)
  return { text: unquoted(text.image), position: positionOfToken(text) }
}
