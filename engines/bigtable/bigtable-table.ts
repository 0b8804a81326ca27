// SPDX-License-Identifier: Apache-2.0
import { FAMILIES } from '../../storage/cells/cell.ts'
import type { CellStoreLimits } from '../../storage/cells/cell-store.ts'
import { CallError } from '../network/call-errors.ts'
import { status } from '../network/status.ts'
import type { TableMessage } from './bigtable-messages.ts'
import type { BigtableTransport } from './bigtable-transport.ts'

/** Which table, as Bigtable names it. */
export type TableName = {
  readonly project: string
  readonly instance: string
  readonly table: string
}

export type OpenedTable = {
  readonly transport: BigtableTransport
  /** `projects/…/instances/…/tables/…`. */
  readonly path: string
  readonly profile: string
  readonly limits: CellStoreLimits
  /** Whether a scan may be asked for backward. */
  readonly hasReverseScans: boolean
}

/** The table cannot be used; the message says why and what to do. */
export class TableUnusable extends Error {
  override readonly name = 'TableUnusable'
}

export function instancePath({ project, instance }: TableName): string {
  return `projects/${project}/instances/${instance}`
}

export function tablePath(name: TableName): string {
  return `${instancePath(name)}/tables/${name.table}`
}

/**
 * Makes the table and its families where they are missing, if it may. Throws TableUnusable for a table with a rule that
 * deletes cells: what the protocol needs must stay until the protocol deletes it.
 */
export async function prepareTable(
  transport: BigtableTransport,
  name: TableName,
  creates: 'auto' | 'never',
): Promise<void> {
  const found = await schemaOf(transport, name)
  if (found === undefined) {
    if (creates === 'never') throw new TableUnusable(`There is no table ${tablePath(name)}.`)
    await createTable(transport, name)
  }
  const { columnFamilies = {} } = found ?? (await schemaOf(transport, name)) ?? {}
  for (const [family, { gcRule }] of Object.entries(columnFamilies)) {
    if (gcRule === undefined || gcRule === null || Object.keys(gcRule).length === 0) continue
    throw new TableUnusable(
      `The family ${family} of ${tablePath(name)} has a garbage-collection rule, which would delete what transactions need: take it away.`,
    )
  }
  const missing = FAMILIES.filter((family) => columnFamilies[family] === undefined)
  if (missing.length === 0) return
  if (creates === 'never') {
    throw new TableUnusable(`${tablePath(name)} has no family ${missing.join(', ')}.`)
  }
  await addFamilies(transport, name, missing)
}

async function schemaOf(
  transport: BigtableTransport,
  name: TableName,
): Promise<Partial<TableMessage> | undefined> {
  try {
    return await transport.unary('GetTable', { name: tablePath(name), view: 'SCHEMA_VIEW' })
  } catch (error) {
    if (error instanceof CallError && error.code === status.NOT_FOUND) return undefined
    throw error
  }
}

/** Several gateways may start at once: one of them makes the table. */
async function createTable(transport: BigtableTransport, name: TableName): Promise<void> {
  const columnFamilies = Object.fromEntries(FAMILIES.map((family) => [family, {}]))
  await unlessThere(
    transport.unary('CreateTable', {
      ...{ parent: instancePath(name), tableId: name.table },
      table: { columnFamilies, granularity: 'MILLIS' },
    }),
  )
}

async function addFamilies(
  transport: BigtableTransport,
  name: TableName,
  families: readonly string[],
): Promise<void> {
  for (const id of families) {
    const modifications = [{ id, create: {} }]
    await unlessThere(
      transport.unary('ModifyColumnFamilies', { name: tablePath(name), modifications }),
    )
  }
}

async function unlessThere(call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (!(error instanceof CallError) || error.code !== status.ALREADY_EXISTS) throw error
  }
}
