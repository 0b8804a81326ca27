// SPDX-License-Identifier: Apache-2.0
import type { Catalog, Transaction } from '../../storage/storage.ts'
import type { Parameters } from '../expressions/parameters.ts'

/** What a CREATE, an ALTER or a DROP runs in. */
export type DefinitionContext = {
  readonly transaction: Transaction
  /** The catalog of the transaction's snapshot. */
  readonly catalog: Catalog
  readonly parameters: Parameters
}
