// SPDX-License-Identifier: Apache-2.0

import type {
  AlterObserverStatement,
  CreateObserverStatement,
  DropObserverStatement,
  NotifyStatement,
  Position,
} from '../ast.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import {
  buildStamp,
  buildWhere,
  columnOf,
  columnsOf,
  observerOf,
  tableOf,
} from './clause-builder.ts'
import { only, positionOfNode } from './cst-position.ts'

// The position of a definition is that of its first word, which stands outside of these nodes.

export function buildNewObserver(
  { children }: cst.NewObserverCstNode,
  position: Position,
): CreateObserverStatement {
  const due = children.dueClause && columnOf(only(children.dueClause).children)
  return {
    kind: 'createObserver',
    weak: children.WEAK !== undefined,
    ifNotExists: children.ifNotExists !== undefined,
    observer: observerOf(children),
    table: tableOf(children),
    columns: columnsOf(children),
    ...(due && { due }),
    position,
  }
}

export function buildAlteredObserver(
  { children }: cst.AlteredObserverCstNode,
  position: Position,
): AlterObserverStatement {
  const observer = observerOf(children)
  if (children.PAUSE !== undefined) return { kind: 'pauseObserver', observer, position }
  if (children.RESUME !== undefined) return { kind: 'resumeObserver', observer, position }
  const from = buildStamp(only(only(children.replayClause).children.stamp))
  return { kind: 'replayObserver', observer, from, position }
}

export function buildDroppedObserver(
  { children }: cst.DroppedObserverCstNode,
  position: Position,
): DropObserverStatement {
  const ifExists = children.ifExists !== undefined
  return { kind: 'dropObserver', ifExists, observer: observerOf(children), position }
}

/** Throws `ParseError`. */
export function buildNotify(node: cst.NotifyStatementCstNode): NotifyStatement {
  const { children } = node
  return {
    kind: 'notify',
    observer: observerOf(children),
    table: tableOf(children),
    where: buildWhere(children),
    position: positionOfNode(node),
  }
}
