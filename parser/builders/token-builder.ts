// SPDX-License-Identifier: Apache-2.0

import type {
  AlterTokenStatement,
  CreateTokenStatement,
  DropTokenStatement,
  Duration,
  Name,
  Position,
  RotateTokenStatement,
} from '../ast.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import { only, positionOfNode } from './cst-position.ts'
import { buildName } from './literal.ts'
import { roleOf } from './role-builder.ts'

const HOUR = 60n
const DAY = 24n * HOUR

// The position of a definition is that of its first word, which stands outside of these nodes.

export function buildNewToken(
  { children }: cst.NewTokenCstNode,
  position: Position,
): CreateTokenStatement {
  return {
    kind: 'createToken',
    token: tokenOf(children),
    role: roleOf(children),
    expires: expiryOf(children),
    position,
  }
}

export function buildAlteredToken(
  { children }: cst.AlteredTokenCstNode,
  position: Position,
): AlterTokenStatement {
  return { kind: 'alterToken', token: tokenOf(children), expires: expiryOf(children), position }
}

export function buildDroppedToken(
  { children }: cst.DroppedTokenCstNode,
  position: Position,
): DropTokenStatement {
  return { kind: 'dropToken', token: tokenOf(children), position }
}

export function buildRotate(node: cst.RotateStatementCstNode): RotateTokenStatement {
  const { children } = node
  const { duration } = children
  return {
    kind: 'rotateToken',
    token: tokenOf(children),
    ...(duration === undefined ? {} : { keep: buildDuration(only(duration)) }),
    position: positionOfNode(node),
  }
}

function tokenOf({ tokenName }: { tokenName: cst.TokenNameCstNode[] }): Name {
  return buildName(only(only(tokenName).children.Name))
}

export function expiryOf({ expiry }: { expiry: cst.ExpiryCstNode[] }): Duration {
  return buildDuration(only(only(expiry).children.duration))
}

function buildDuration(node: cst.DurationCstNode): Duration {
  const { Integer, DAY: day, DAYS: days, HOUR: hour, HOURS: hours } = node.children
  const unit = (day ?? days) ? DAY : (hour ?? hours) ? HOUR : 1n
  return { minutes: BigInt(only(Integer).image) * unit, position: positionOfNode(node) }
}
