// SPDX-License-Identifier: Apache-2.0

import type * as ast from '../ast.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import type { ExplainScript, WrittenStatement } from '../script/explained-script.ts'
import { asOfOf, tableOf } from './clause-builder.ts'
import { only, positionOfNode } from './cst-position.ts'
import { buildAlter, buildCreate, buildDrop } from './definition-builder.ts'
import { buildNotify } from './observer-builder.ts'
import { buildGrant, buildRevoke } from './role-builder.ts'
import { buildCheck, buildDataStatement } from './row-statement-builder.ts'
import { buildRotate, roleOf } from './token-builder.ts'

/**
 * Turns the concrete syntax tree into statements: one function for each rule of the grammar. `text`
 * is the source, whose expressions name the columns of an answer. Throws `ParseError` for what a
 * grammar cannot say, such as a row of VALUES that is shorter than the list of columns.
 */
export function buildScript(script: cst.ScriptCstNode, text: string): readonly WrittenStatement[] {
  return (script.children.statement ?? []).map((node) => buildStatement(node, text))
}

function buildStatement({ children }: cst.StatementCstNode, text: string): WrittenStatement {
  if (children.dataStatement !== undefined) {
    return buildDataStatement(only(children.dataStatement), text)
  }
  if (children.checkStatement !== undefined) return buildCheck(only(children.checkStatement))
  if (children.notifyStatement !== undefined) return buildNotify(only(children.notifyStatement))
  if (children.beginStatement !== undefined) return buildBegin(only(children.beginStatement))
  if (children.commitStatement !== undefined) {
    return { kind: 'commit', position: positionOfNode(only(children.commitStatement)) }
  }
  if (children.rollbackStatement !== undefined) {
    return { kind: 'rollback', position: positionOfNode(only(children.rollbackStatement)) }
  }
  if (children.explainStatement !== undefined) {
    return buildExplain(only(children.explainStatement), text)
  }
  if (children.createStatement !== undefined) return buildCreate(only(children.createStatement))
  if (children.alterStatement !== undefined) return buildAlter(only(children.alterStatement))
  if (children.dropStatement !== undefined) return buildDrop(only(children.dropStatement))
  if (children.rotateStatement !== undefined) return buildRotate(only(children.rotateStatement))
  if (children.grantStatement !== undefined) return buildGrant(only(children.grantStatement))
  if (children.revokeStatement !== undefined) return buildRevoke(only(children.revokeStatement))
  if (children.showStatement !== undefined) return buildShow(only(children.showStatement))
  const describe = only(children.describeStatement)
  return { kind: 'describe', table: tableOf(describe.children), position: positionOfNode(describe) }
}

function buildBegin(node: cst.BeginStatementCstNode): ast.BeginStatement {
  return {
    kind: 'begin',
    readOnly: node.children.READ !== undefined,
    ...asOfOf(node.children),
    position: positionOfNode(node),
  }
}

function buildExplain(
  node: cst.ExplainStatementCstNode,
  text: string,
): ast.ExplainStatement | ExplainScript {
  const { ANALYZE: analyzes, explainedScript, explainedStatement } = node.children
  const position = positionOfNode(node)
  const analyze = analyzes !== undefined
  if (explainedScript === undefined) {
    const statement = buildExplained(only(explainedStatement), text)
    return { kind: 'explain', analyze, statement, position }
  }
  const { beginStatement: begin, explainedStatement: explained } = only(explainedScript).children
  const first =
    begin === undefined ? buildExplained(only(explained), text) : buildBegin(only(begin))
  return { kind: 'explainScript', analyze, first, position }
}

function buildExplained(
  { children }: cst.ExplainedStatementCstNode,
  text: string,
): ast.ExplainedStatement {
  if (children.checkStatement !== undefined) return buildCheck(only(children.checkStatement))
  if (children.notifyStatement !== undefined) return buildNotify(only(children.notifyStatement))
  return buildDataStatement(only(children.dataStatement), text)
}

function buildShow(
  node: cst.ShowStatementCstNode,
):
  | ast.ShowTablesStatement
  | ast.ShowIndexesStatement
  | ast.ShowCreateTableStatement
  | ast.ShowObserversStatement
  | ast.ShowSchedulesStatement
  | ast.ShowTokensStatement
  | ast.ShowRolesStatement
  | ast.ShowBlocksStatement
  | ast.ShowRelaysStatement
  | ast.ShowGrantsStatement {
  const position = positionOfNode(node)
  const { tableName, roleName, OBSERVERS: observers, TOKENS: tokens } = node.children
  if (node.children.SCHEDULES !== undefined) return { kind: 'showSchedules', position }
  const { ROLES: roles, GRANTS: grants, BLOCKS: blocks, CREATE: create } = node.children
  if (roles !== undefined) return { kind: 'showRoles', position }
  if (node.children.RELAYS !== undefined) return { kind: 'showRelays', position }
  if (blocks !== undefined) return { kind: 'showBlocks', position }
  if (grants !== undefined) {
    const role = roleName === undefined ? {} : { role: roleOf({ roleName }) }
    return { kind: 'showGrants', ...role, position }
  }
  if (tokens !== undefined) return { kind: 'showTokens', position }
  if (observers !== undefined) return { kind: 'showObservers', position }
  if (tableName === undefined) return { kind: 'showTables', position }
  const kind = create === undefined ? 'showIndexes' : 'showCreateTable'
  return { kind, table: tableOf({ tableName }), position }
}
