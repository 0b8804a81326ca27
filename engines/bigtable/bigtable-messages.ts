// SPDX-License-Identifier: Apache-2.0

// The messages of Bigtable that are used, as `bigtable-descriptors.json` has them. 64-bit numbers are decimal texts;
// of fields that exclude each other one is set.

type Bytes = Uint8Array

/** A key, absent at the end of the table, and how many bytes are stored in the rows before it. */
export type WireKeySample = { readonly rowKey?: Bytes; readonly offsetBytes?: string }

export type WireFilter =
  | { readonly chain: { readonly filters: readonly WireFilter[] } }
  | { readonly interleave: { readonly filters: readonly WireFilter[] } }
  | { readonly blockAllFilter: true }
  | { readonly familyNameRegexFilter: string }
  | { readonly columnQualifierRegexFilter: Bytes }
  | {
      readonly columnRangeFilter: {
        readonly familyName: string
        readonly startQualifierClosed: Bytes
        readonly endQualifierClosed: Bytes
      }
    }
  | { readonly timestampRangeFilter: WireTimestamps }
  | { readonly cellsPerColumnLimitFilter: number }
  | {
      readonly valueRangeFilter: {
        readonly startValueClosed?: Bytes
        readonly endValueOpen?: Bytes
      }
    }

/** An absent bound is open; so is the end 0. */
export type WireTimestamps = {
  readonly startTimestampMicros?: string
  readonly endTimestampMicros?: string
}

export type WireMutation =
  | {
      readonly setCell: {
        readonly familyName: string
        readonly columnQualifier: Bytes
        readonly timestampMicros: string
        readonly value: Bytes
      }
    }
  | {
      readonly deleteFromColumn: {
        readonly familyName: string
        readonly columnQualifier: Bytes
        readonly timeRange: WireTimestamps
      }
    }

export type WireRange = {
  readonly startKeyClosed?: Bytes
  readonly startKeyOpen?: Bytes
  readonly endKeyOpen?: Bytes
  readonly endKeyClosed?: Bytes
}

/** A part of a row: what is not said is as in the part before it. */
export type WireChunk = {
  readonly rowKey?: Uint8Array
  readonly familyName?: { readonly value?: string } | null
  readonly qualifier?: { readonly value?: Uint8Array } | null
  readonly timestampMicros?: string
  readonly value?: Uint8Array
  /** Above 0: the value goes on in the next chunk. */
  readonly valueSize?: number
  readonly resetRow?: boolean
  readonly commitRow?: boolean
}

type Table = { readonly tableName: string; readonly appProfileId: string }
type ToRow = Table & { readonly rowKey: Bytes }

export type WireStatus = { readonly code?: number; readonly message?: string }

export type TableMessage = {
  readonly columnFamilies: Readonly<Record<string, { readonly gcRule?: object | null }>>
  readonly granularity?: string
}

export type UnaryCalls = {
  readonly CheckAndMutateRow: {
    readonly request: ToRow & {
      readonly predicateFilter: WireFilter
      readonly trueMutations: readonly WireMutation[]
      readonly falseMutations: readonly WireMutation[]
    }
    readonly response: { readonly predicateMatched?: boolean }
  }
  readonly MutateRow: {
    readonly request: ToRow & { readonly mutations: readonly WireMutation[] }
    readonly response: object
  }
  readonly ReadModifyWriteRow: {
    readonly request: ToRow & {
      readonly rules: ReadonlyArray<{
        readonly familyName: string
        readonly columnQualifier: Bytes
        readonly incrementAmount: string
      }>
    }
    readonly response: {
      readonly row: {
        readonly families?: ReadonlyArray<{
          readonly name: string
          readonly columns?: ReadonlyArray<{
            readonly qualifier?: Uint8Array
            readonly cells?: ReadonlyArray<{ readonly value?: Uint8Array }>
          }>
        }>
      }
    }
  }
  readonly PingAndWarm: {
    readonly request: { readonly name: string; readonly appProfileId: string }
    readonly response: object
  }
  readonly CreateTable: {
    readonly request: {
      readonly parent: string
      readonly tableId: string
      readonly table: TableMessage
    }
    readonly response: TableMessage
  }
  readonly GetTable: {
    readonly request: { readonly name: string; readonly view: 'SCHEMA_VIEW' }
    readonly response: Partial<TableMessage>
  }
  readonly ModifyColumnFamilies: {
    readonly request: {
      readonly name: string
      readonly modifications: ReadonlyArray<{ readonly id: string; readonly create: object }>
    }
    readonly response: Partial<TableMessage>
  }
}

export type StreamCalls = {
  readonly ReadRows: {
    readonly request: Table & {
      readonly rows: {
        readonly rowKeys?: readonly Bytes[]
        readonly rowRanges?: readonly WireRange[]
      }
      readonly filter: WireFilter
      readonly rowsLimit?: string
      readonly reversed?: boolean
    }
    readonly response: { readonly chunks?: readonly WireChunk[] }
  }
  readonly MutateRows: {
    readonly request: Table & {
      readonly entries: ReadonlyArray<{
        readonly rowKey: Bytes
        readonly mutations: readonly WireMutation[]
      }>
    }
    readonly response: {
      readonly entries?: ReadonlyArray<{
        readonly index?: string
        readonly status?: WireStatus | null
      }>
    }
  }
  readonly SampleRowKeys: {
    readonly request: Table
    readonly response: WireKeySample
  }
}
