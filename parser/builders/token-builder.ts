// SPDX-License-Identifier: Apache-2.0

import type {
  AlterTokenStatement,
  CreateTokenStatement,
  DropTokenStatement,
  Duration,
  Name,
  Position,
  RotateSecretStatement,
  RotateTokenStatement,
} from '../ast.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import { only, positionOfNode } from './cst-position.ts'
import { buildName } from './literal.ts'

const SECOND = 1_000n
const MINUTE = 60n * SECOND
const HOUR = 60n * MINUTE
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

export function buildRotate(
  node: cst.RotateStatementCstNode,
): RotateTokenStatement | RotateSecretStatement {
  const { rotatedToken } = node.children
  if (rotatedToken === undefined) return { kind: 'rotateSecret', position: positionOfNode(node) }
  const { children } = only(rotatedToken)
  const { duration } = children
  return {
    kind: 'rotateToken',
    token: tokenOf(children),
    ...(duration === undefined ? {} : { keep: buildDuration(only(duration)) }),
    position: positionOfNode(node),
  }
}

export function roleOf({ roleName }: { roleName: cst.RoleNameCstNode[] }): Name {
  return buildName(only(only(roleName).children.Name))
}

function tokenOf({ tokenName }: { tokenName: cst.TokenNameCstNode[] }): Name {
  return buildName(only(only(tokenName).children.Name))
}

export function expiryOf({ expiry }: { expiry: cst.ExpiryCstNode[] }): Duration {
  return buildDuration(only(only(expiry).children.duration))
}

export function buildDuration(node: cst.DurationCstNode): Duration {
  const { Integer, durationUnit } = node.children
  const ms = BigInt(only(Integer).image) * unitMs(only(durationUnit))
  return { ms, position: positionOfNode(node) }
}

/** A unit of time in milliseconds. */
export function unitMs({ children: unit }: cst.DurationUnitCstNode): bigint {
  if (unit.DAY ?? unit.DAYS) return DAY
  if (unit.HOUR ?? unit.HOURS) return HOUR
  if (unit.MINUTE ?? unit.MINUTES) return MINUTE
  return (unit.SECOND ?? unit.SECONDS) ? SECOND : 1n
}
