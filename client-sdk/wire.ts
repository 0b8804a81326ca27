// SPDX-License-Identifier: Apache-2.0
import type { components } from './schema.gen.ts'

// What goes over the wire, by the names of the contract; `schema.gen.ts` is made from `openapi.yaml`.

/** Every schema of the contract by its name. */
export type Schemas = components['schemas']

export type QueryRequest = Schemas['QueryRequest']
export type QueryAnswer = Schemas['QueryAnswer']
export type WireResult = Schemas['StatementResult']
export type ResultColumn = Schemas['ResultColumn']
export type OpenedTransaction = Schemas['OpenedTransaction']
export type TransactionOutcome = Schemas['TransactionOutcome']
export type CommitAnswer = Schemas['CommitAnswer']
export type TableDefinition = Schemas['Table']
export type DescribedRow = Schemas['DescribedRow']
export type RowCells = Schemas['RowCells']
export type CellsOfRows = Schemas['CellsOfRows']
export type RowPage = Schemas['RowPage']
export type Problem = Schemas['Problem']
export type ServerErrorCode = Schemas['ErrorCode']

/** A column of a primary key, as a `subscribed` frame names it. */
export type KeyColumn = ResultColumn & { readonly descending?: boolean }
