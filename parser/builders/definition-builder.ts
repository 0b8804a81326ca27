// SPDX-License-Identifier: Apache-2.0

import type {
  AccessStatement,
  AlterColumnStatement,
  AlterTableStatement,
  CreateIndexStatement,
  DefinitionStatement,
  IndexPartClause,
  Name,
  Position,
} from '../ast.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import { syntaxError } from '../parse-error.ts'
import { buildDroppedBlock, buildNewBlock } from './block-builder.ts'
import {
  buildColumnName,
  buildKeyPart,
  columnOf,
  columnsOf,
  indexOf,
  tableOf,
} from './clause-builder.ts'
import { buildColumn, buildDefault, buildWholeNumber } from './column-builder.ts'
import { only, positionOfNode } from './cst-position.ts'
import { buildAlteredStore } from './interval.ts'
import { buildAlteredObserver, buildDroppedObserver, buildNewObserver } from './observer-builder.ts'
import { buildAlteredRelay, buildDroppedRelay, buildNewRelay } from './relay-builder.ts'
import { buildAlteredRole } from './role-builder.ts'
import { buildAlteredSchedule, buildDroppedSchedule, buildNewSchedule } from './schedule-builder.ts'
import { buildCheck, buildNewTable, checksOf, constraintNameOf, uniqueOf } from './table-builder.ts'
import { buildAlteredToken, buildDroppedToken, buildNewToken, roleOf } from './token-builder.ts'

/** The statements that change the catalog, tokens, roles, blocks or relays. Each throws `ParseError`. */
export function buildCreate(
  node: cst.CreateStatementCstNode,
): DefinitionStatement | AccessStatement {
  const position = positionOfNode(node)
  const { newTable, newIndex, newObserver, newToken, newRole, newBlock } = node.children
  const { newSchedule, newRelay } = node.children
  if (newSchedule !== undefined) return buildNewSchedule(only(newSchedule), position)
  if (newRelay !== undefined) return buildNewRelay(only(newRelay), position)
  if (newBlock !== undefined) return buildNewBlock(only(newBlock), position)
  if (newRole !== undefined) {
    const { children } = only(newRole)
    const isForJwt = children.JWT !== undefined
    return { kind: 'createRole', role: roleOf(children), isForJwt, position }
  }
  if (newToken !== undefined) return buildNewToken(only(newToken), position)
  if (newTable !== undefined) return buildNewTable(only(newTable), position)
  if (newObserver !== undefined) return buildNewObserver(only(newObserver), position)
  return buildNewIndex(only(newIndex), position)
}

function buildNewIndex(
  { children }: cst.NewIndexCstNode,
  position: Position,
): CreateIndexStatement {
  const { columnList } = children
  return {
    kind: 'createIndex',
    unique: children.UNIQUE !== undefined,
    ifNotExists: children.ifNotExists !== undefined,
    index: indexOf(children),
    table: tableOf(children),
    columns: children.indexPart.map(buildIndexPart),
    storing: columnList === undefined ? [] : columnsOf({ columnList }),
    position,
  }
}

function buildIndexPart({ children }: cst.IndexPartCstNode): IndexPartClause {
  const each = children.EACH !== undefined ? 'members' : children.WORDS && 'words'
  return {
    ...buildKeyPart(only(children.keyPart)),
    ...(each && { each }),
    descending: children.DESC !== undefined,
  }
}

export function buildAlter(node: cst.AlterStatementCstNode): DefinitionStatement | AccessStatement {
  const position = positionOfNode(node)
  const { alteredTable, alteredObserver, alteredToken, alteredRole, alteredStore } = node.children
  if (alteredStore !== undefined) return buildAlteredStore(only(alteredStore), position)
  const { alteredSchedule, alteredRelay } = node.children
  if (alteredSchedule !== undefined) return buildAlteredSchedule(only(alteredSchedule), position)
  if (alteredRelay !== undefined) return buildAlteredRelay(only(alteredRelay), position)
  if (alteredRole !== undefined) return buildAlteredRole(only(alteredRole), position)
  if (alteredToken !== undefined) return buildAlteredToken(only(alteredToken), position)
  if (alteredTable !== undefined) return buildAlteredTable(only(alteredTable), position)
  return buildAlteredObserver(only(alteredObserver), position)
}

function buildAlteredTable(
  { children: altered }: cst.AlteredTableCstNode,
  position: Position,
): AlterTableStatement {
  const table = tableOf(altered)
  const { addedColumn, droppedColumn, addedCheck, droppedConstraint } = altered
  const { alteredColumn, renamedColumn, renamedTable } = altered
  if (alteredColumn !== undefined) {
    return buildAlteredColumn(only(alteredColumn), table, position)
  }
  if (renamedColumn !== undefined) {
    const [column, to] = only(renamedColumn).children.columnName.map(buildColumnName)
    return { kind: 'renameColumn', table, column: column as Name, to: to as Name, position }
  }
  if (renamedTable !== undefined) {
    return { kind: 'renameTable', table, to: tableOf(only(renamedTable).children), position }
  }
  if (addedCheck !== undefined) {
    const check = buildCheck(only(only(addedCheck).children.checkClause))
    return { kind: 'addCheck', table, check, position }
  }
  if (droppedConstraint !== undefined) {
    const constraint = constraintNameOf(only(droppedConstraint).children)
    return { kind: 'dropConstraint', table, constraint, position }
  }
  if (addedColumn === undefined) {
    const { children } = only(droppedColumn)
    return { kind: 'dropColumn', table, column: columnOf(children), position }
  }
  const clause = only(only(addedColumn).children.columnClause)
  refuseKey(clause)
  refuseConstraint(clause)
  return { kind: 'addColumn', table, column: buildColumn(clause), position }
}

function buildAlteredColumn(
  { children }: cst.AlteredColumnCstNode,
  table: Name,
  position: Position,
): AlterTableStatement {
  const { defaultValue, wholeNumber, NOT, SET } = children
  const column = columnOf(children)
  if (wholeNumber !== undefined) {
    const next = buildWholeNumber(only(wholeNumber))
    return { kind: 'restartIdentity', table, column, next, position }
  }
  if (SET !== undefined && NOT !== undefined) return { kind: 'setNotNull', table, column, position }
  const change: AlterColumnStatement['change'] =
    defaultValue === undefined
      ? { kind: NOT === undefined ? 'dropDefault' : 'dropNotNull' }
      : { kind: 'setDefault', default: buildDefault(only(defaultValue)) }
  return { kind: 'alterColumn', table, column, change, position }
}

function refuseKey({ children }: cst.ColumnClauseCstNode): void {
  const primary = children.columnConstraint?.find((each) => each.children.PRIMARY !== undefined)
  if (primary === undefined) return
  throw syntaxError('a primary key cannot be added', positionOfNode(primary), {
    token: 'PRIMARY',
    hint: 'the rows of a table are kept by their key: create a table with the key that is wanted',
  })
}

/** The rows that are there would have to be looked at for it, which ADD COLUMN never does. */
function refuseConstraint(clause: cst.ColumnClauseCstNode): void {
  const unique = uniqueOf(clause)
  if (unique !== undefined) {
    throw syntaxError('ADD COLUMN has no UNIQUE', positionOfNode(unique), {
      token: 'UNIQUE',
      hint: 'add the column first, and then the index: CREATE UNIQUE INDEX name ON table (column)',
    })
  }
  const [check] = checksOf(clause)
  if (check === undefined) return
  throw syntaxError('ADD COLUMN has no CHECK', positionOfNode(check), {
    token: 'CHECK',
    hint: 'add the column first, and then the condition: ALTER TABLE table ADD CHECK (condition)',
  })
}

export function buildDrop(node: cst.DropStatementCstNode): DefinitionStatement | AccessStatement {
  const position = positionOfNode(node)
  const { droppedTable, droppedIndex, droppedObserver, droppedToken } = node.children
  const { droppedRole, droppedSchedule, block, droppedRelay } = node.children
  if (droppedSchedule !== undefined) return buildDroppedSchedule(only(droppedSchedule), position)
  if (droppedRelay !== undefined) return buildDroppedRelay(only(droppedRelay), position)
  if (block !== undefined) return buildDroppedBlock(only(block), position)
  if (droppedRole !== undefined) {
    return { kind: 'dropRole', role: roleOf(only(droppedRole).children), position }
  }
  if (droppedToken !== undefined) return buildDroppedToken(only(droppedToken), position)
  if (droppedObserver !== undefined) return buildDroppedObserver(only(droppedObserver), position)
  if (droppedTable !== undefined) {
    const { children } = only(droppedTable)
    const ifExists = children.ifExists !== undefined
    return { kind: 'dropTable', ifExists, table: tableOf(children), position }
  }
  const { children } = only(droppedIndex)
  const ifExists = children.ifExists !== undefined
  return { kind: 'dropIndex', ifExists, index: indexOf(children), position }
}
