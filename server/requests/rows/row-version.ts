// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto'
import type { IntegerForm } from '../../../planner/planner.ts'
import type { Timestamp } from '../../../storage/storage.ts'
import type { TableDefinition } from '../../../storage/tables/tables.ts'
import type { EntityTag } from './entity-tags.ts'

/**
 * The entity tag of a row. It changes when any representation of the row does: with a commit of the
 * row, and with the columns of its table, since ADD and DROP COLUMN change rows without a write.
 * A third part says what else the request asks for: some columns, or INTEGERs as texts.
 *
 *     "1795383160024000-x3Jk9aQ2"             the commit, the columns of the table
 *     "1795383160024000-x3Jk9aQ2-b81kPw0z"    the same row by columns=id
 */
export function tagOf(commitTs: Timestamp, representation: string): string {
  return `"${commitTs}-${representation}"`
}

export type RequestedForm = {
  readonly columns?: readonly string[]
  readonly integers: IntegerForm
  readonly isDescribed: boolean
}

/** All of the tag but its commit: what the table and the request make of the row. */
export function representationOf(
  table: TableDefinition,
  { columns, integers, isDescribed }: RequestedForm,
): string {
  const ofTable = tableDigest(table)
  if (columns === undefined && integers === 'number' && !isDescribed) return ofTable
  return `${ofTable}-${digest(JSON.stringify([columns ?? null, integers, isDescribed]))}`
}

/**
 * Whether a tag is of this row, in whatever form it was asked for. A tag that is a commit timestamp
 * alone, as answers of statements tell it, names the row's version with any columns.
 */
export function isOfRow(tag: EntityTag, commitTs: Timestamp, table: TableDefinition): boolean {
  const [version, ofTable] = tag.text.split('-', 2)
  if (version !== String(commitTs)) return false
  return ofTable === undefined || ofTable === tableDigest(table)
}

/** Definitions are kept with the catalog and do not change, so each is digested once. */
const digests = new WeakMap<TableDefinition, string>()

function tableDigest(table: TableDefinition): string {
  let known = digests.get(table)
  if (known === undefined) {
    const columns = table.columns.map(({ id, name, type, valueBefore }) => [
      ...[id, name, type],
      valueBefore === undefined ? null : String(valueBefore),
    ])
    known = digest(JSON.stringify(columns))
    digests.set(table, known)
  }
  return known
}

const DIGEST_CHARACTERS = 8

/** Without the dash, which separates the parts of a tag. */
function digest(text: string): string {
  const hash = createHash('sha256').update(text).digest('base64url')
  return hash.replaceAll('-', '.').slice(0, DIGEST_CHARACTERS)
}
