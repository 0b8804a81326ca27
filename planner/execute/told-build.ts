// SPDX-License-Identifier: Apache-2.0
import {
  type Catalog,
  type IndexDefinition,
  readIndexProgress,
  type TableDefinition,
} from '../../storage/tables/tables.ts'
import { mayBeToldOfRows } from '../required-rights.ts'
import type { StatementTransaction } from './rows/execution-context.ts'

/** What is known of the building of an index; how far it is only while it is built. */
type ToldBuild = { readonly rowsDone?: number; readonly failure?: string }

const HIDDEN = 'Rows stand against it; who may read all rows of the table is told which.'

/**
 * How far the building of an index is, or why it failed. Both tell of rows, so of those that are hidden from whoever
 * asks there is no count and no value.
 */
export async function toldBuild(
  { table, index }: { readonly table: TableDefinition; readonly index: IndexDefinition },
  { catalog, transaction }: { readonly catalog: Catalog; readonly transaction: BuildReads },
): Promise<ToldBuild> {
  const isTold = mayBeToldOfRows(catalog, table)
  if (index.failure !== undefined) return { failure: isTold ? index.failure : HIDDEN }
  if (index.state !== 'building' || !isTold) return {}
  const { rowsDone } = await readIndexProgress(transaction, table, index)
  return { rowsDone }
}

type BuildReads = Pick<StatementTransaction, 'getRow'>
