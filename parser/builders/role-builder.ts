// SPDX-License-Identifier: Apache-2.0

import type {
  AlterRoleStatement,
  ChangedLimit,
  GrantStatement,
  Position,
  RevokeStatement,
  Right,
  RightsPlace,
} from '../ast.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import { tableOf, whereOf } from './clause-builder.ts'
import { only, positionOfNode } from './cst-position.ts'
import { buildName } from './literal.ts'
import { roleOf, unitMs } from './token-builder.ts'

export function buildGrant(node: cst.GrantStatementCstNode): GrantStatement {
  const { children } = node
  return {
    kind: 'grant',
    rights: rightsOf(children.rightList),
    ...placeOf(children.rightsPlace),
    role: roleOf(children),
    ...whereOf(children),
    position: positionOfNode(node),
  }
}

export function buildRevoke(node: cst.RevokeStatementCstNode): RevokeStatement {
  const { children } = node
  return {
    kind: 'revoke',
    rights: children.rightList === undefined ? 'all' : rightsOf(children.rightList),
    ...placeOf(children.rightsPlace),
    role: roleOf(children),
    position: positionOfNode(node),
  }
}

export function buildAlteredRole(
  { children }: cst.AlteredRoleCstNode,
  position: Position,
): AlterRoleStatement {
  const limits = children.roleLimit.map(limitOf)
  return { kind: 'alterRole', role: roleOf(children), limits, position }
}

function limitOf({ children }: cst.RoleLimitCstNode): ChangedLimit {
  const { Name, Integer, durationUnit } = children
  const limit = buildName(only(Name))
  if (Integer === undefined) return { limit, figure: 'none', isDuration: false }
  const count = BigInt(only(Integer).image)
  if (durationUnit === undefined) return { limit, figure: count, isDuration: false }
  return { limit, figure: count * unitMs(only(durationUnit)), isDuration: true }
}

function rightsOf(list: readonly cst.RightListCstNode[]): Right[] {
  return only(list).children.right.map((node) => ({
    name: nameOf(node),
    position: positionOfNode(node),
  }))
}

function nameOf({ children }: cst.RightCstNode): Right['name'] {
  if (children.READ !== undefined) return 'read'
  if (children.WRITE !== undefined) return 'write'
  if (children.OBSERVE !== undefined) return 'observe'
  if (children.DEFINE !== undefined) return 'define'
  if (children.INSPECT !== undefined) return 'inspect'
  return children.FOLLOW === undefined ? 'admin' : 'follow'
}

function placeOf(place: readonly cst.RightsPlaceCstNode[] | undefined): { on?: RightsPlace } {
  if (place === undefined) return {}
  const { tableName } = only(place).children
  return { on: tableName === undefined ? 'allTables' : tableOf({ tableName }) }
}
