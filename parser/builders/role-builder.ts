// SPDX-License-Identifier: Apache-2.0

import type { GrantStatement, Name, RevokeStatement, Right, RightsPlace } from '../ast.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import { tableOf, whereOf } from './clause-builder.ts'
import { only, positionOfNode } from './cst-position.ts'
import { buildName } from './literal.ts'

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

export function roleOf({ roleName }: { roleName: cst.RoleNameCstNode[] }): Name {
  return buildName(only(only(roleName).children.Name))
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
  return children.INSPECT === undefined ? 'admin' : 'inspect'
}

function placeOf(place: readonly cst.RightsPlaceCstNode[] | undefined): { on?: RightsPlace } {
  if (place === undefined) return {}
  const { tableName } = only(place).children
  return { on: tableName === undefined ? 'allTables' : tableOf({ tableName }) }
}
