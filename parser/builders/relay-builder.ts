// SPDX-License-Identifier: Apache-2.0

import type {
  AlterRelayStatement,
  CreateRelayStatement,
  DropRelayStatement,
  Name,
  Position,
} from '../ast.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import { only, positionOfToken } from './cst-position.ts'
import { buildName, unquoted } from './literal.ts'
import { buildDuration, roleOf } from './token-builder.ts'

// The position of a definition is that of its first word, which stands outside of these nodes.

export function buildNewRelay(
  { children }: cst.NewRelayCstNode,
  position: Position,
): CreateRelayStatement {
  const { roleName, tableName } = children
  const to = only(children.Text)
  return {
    kind: 'createRelay',
    ifNotExists: children.ifNotExists !== undefined,
    relay: relayOf(children),
    tables: tableName.map((table) => buildName(only(table.children.Name))),
    to: { text: unquoted(to.image), position: positionOfToken(to) },
    ...(roleName && { role: roleOf({ roleName }) }),
    position,
  }
}

export function buildAlteredRelay(
  { children }: cst.AlteredRelayCstNode,
  position: Position,
): AlterRelayStatement {
  const relay = relayOf(children)
  const { resumedRelay, rotatedRelay } = children
  if (resumedRelay !== undefined) {
    const { NOW: now, SNAPSHOT: snapshot } = only(resumedRelay).children
    const from = (now && 'now') ?? (snapshot && 'snapshot')
    return { kind: 'resumeRelay', relay, ...(from && { from }), position }
  }
  if (rotatedRelay === undefined) return { kind: 'pauseRelay', relay, position }
  const { duration } = only(rotatedRelay).children
  const keep = duration && buildDuration(only(duration))
  return { kind: 'rotateRelay', relay, ...(keep && { keep }), position }
}

export function buildDroppedRelay(
  { children }: cst.DroppedRelayCstNode,
  position: Position,
): DropRelayStatement {
  const ifExists = children.ifExists !== undefined
  return { kind: 'dropRelay', ifExists, relay: relayOf(children), position }
}

function relayOf({ relayName }: { relayName: cst.RelayNameCstNode[] }): Name {
  return buildName(only(only(relayName).children.Name))
}
