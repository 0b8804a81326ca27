// SPDX-License-Identifier: Apache-2.0
import type {
  AlterObserverStatement,
  CreateObserverStatement,
  DropObserverStatement,
} from '../../parser/ast.ts'
import {
  createObserver,
  dropObserver,
  type NewObserver,
  pauseObserver,
  replayObserver,
  resumeObserver,
  type TableDefinition,
} from '../../storage/storage.ts'
import { requireColumn, requireObserver, requireTable } from '../unknown-name.ts'
import type { DefinitionContext } from './definition-context.ts'
import { evaluateStamp } from './stamp.ts'

/** CREATE, ALTER and DROP of an observer. Whether the catalog changed. */
export async function defineObserver(
  statement: CreateObserverStatement | AlterObserverStatement | DropObserverStatement,
  context: DefinitionContext,
): Promise<boolean> {
  const { transaction, catalog } = context
  switch (statement.kind) {
    case 'createObserver': {
      const { ifNotExists } = statement
      const observer = newObserverOf(statement, requireTable(catalog, statement.table))
      return (await createObserver(transaction, catalog, observer, { ifNotExists })).created
    }
    case 'dropObserver': {
      const { observer, ifExists } = statement
      if (!ifExists) requireObserver(catalog, observer)
      return (await dropObserver(transaction, catalog, observer.text, { ifExists })) !== null
    }
    default:
      await alterObserver(statement, context)
      return true
  }
}

async function alterObserver(
  statement: AlterObserverStatement,
  { transaction, catalog, parameters }: DefinitionContext,
): Promise<void> {
  const { text } = statement.observer
  requireObserver(catalog, statement.observer)
  if (statement.kind === 'pauseObserver') await pauseObserver(transaction, catalog, text)
  else if (statement.kind === 'resumeObserver') await resumeObserver(transaction, catalog, text)
  else {
    const from = evaluateStamp('REPLAY FROM', statement.from, parameters)
    await replayObserver(transaction, catalog, text, from)
  }
}

function newObserverOf(
  { observer, weak, columns }: CreateObserverStatement,
  table: TableDefinition,
): NewObserver {
  for (const { text, position } of columns) requireColumn(table, text, position)
  return {
    name: observer.text,
    table: table.name,
    isWeak: weak,
    columns: columns.map(({ text }) => text),
  }
}
