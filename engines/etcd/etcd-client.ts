// SPDX-License-Identifier: Apache-2.0
import { CallError } from '../network/call-errors.ts'
import { GrpcCalls, type GrpcClient } from '../network/grpc-calls.ts'
import { status } from '../network/status.ts'
import { DESCRIPTORS, SERVICES } from './etcd-descriptors.ts'

export type KeyRange = {
  readonly key: Uint8Array
  readonly rangeEnd?: Uint8Array
  readonly limit?: string
  readonly sortOrder?: 'DESCEND'
  /** Only what was put in this revision or later. */
  readonly minModRevision?: string
}
export type WatchedKeys = { readonly key: Uint8Array; readonly rangeEnd: Uint8Array }
export type KeyValue = {
  readonly key: Buffer
  readonly modRevision: string
  readonly value?: Buffer
}
export type RangeAnswer = {
  readonly header: { readonly revision: string }
  readonly kvs?: readonly KeyValue[]
  readonly more?: boolean
}
export type Operation =
  | { readonly requestRange: KeyRange }
  | { readonly requestPut: { readonly key: Uint8Array; readonly value: Uint8Array } }
  | { readonly requestDeleteRange: { readonly key: Uint8Array; readonly rangeEnd?: Uint8Array } }
  | { readonly requestTxn: EtcdTransaction }
/** Of a key, or of each key of a range. One that is not there has version and revision 0, and no value. */
export type Comparison = { readonly key: Uint8Array; readonly rangeEnd?: Uint8Array } & (
  | { readonly target: 'MOD'; readonly result: Result; readonly modRevision: string }
  | { readonly target: 'VERSION'; readonly result: Result; readonly version: string }
  | { readonly target: 'VALUE'; readonly result: Result; readonly value: Uint8Array }
)
type Result = 'EQUAL' | 'GREATER' | 'LESS'
/** Those in `success` and `failure` are compared when this one is, before any of it is done. */
export type EtcdTransaction = {
  readonly compare: readonly Comparison[]
  readonly success: readonly Operation[]
  readonly failure: readonly Operation[]
}
export type TransactionAnswer = {
  readonly header: { readonly revision: string }
  readonly succeeded?: boolean
  readonly responses?: readonly OperationAnswer[]
}
export type OperationAnswer = {
  readonly responseRange?: RangeAnswer
  readonly responseTxn?: Omit<TransactionAnswer, 'header'>
}
export type EtcdUser = { readonly name: string; readonly password: string }

/** A member that does not answer is one that was paused or cut off; another may. */
const CALL_MS = 5_000

/** The calls of etcd's members, of which one is asked until it fails. Rejects with CallError. */
export class EtcdClient {
  readonly #calls = new GrpcCalls(DESCRIPTORS, SERVICES, CALL_MS)
  readonly #members: readonly GrpcClient[]
  readonly #user: EtcdUser | undefined
  #next = 0
  #token: Promise<string> | undefined

  constructor(members: readonly GrpcClient[], user: EtcdUser | undefined) {
    this.#members = members
    this.#user = user
  }

  get requestsSent(): ReadonlyMap<string, number> {
    return this.#calls.sent
  }

  async range(range: KeyRange): Promise<RangeAnswer> {
    return (await this.#ask('Range', range)) as RangeAnswer
  }

  async transaction(transaction: EtcdTransaction): Promise<TransactionAnswer> {
    return (await this.#ask('Txn', transaction)) as TransactionAnswer
  }

  /** Forgets the revisions below this one: what was overwritten takes no more room. */
  async compact(revision: string): Promise<void> {
    await this.#ask('Compact', { revision })
  }

  /** A message when the keys are watched, and one for each change. Throws CallError, and the signal's reason. */
  async *watch(
    keys: WatchedKeys,
    signal: AbortSignal,
  ): AsyncIterable<{ readonly canceled?: boolean }> {
    const at = this.#next
    const member = this.#members[at % this.#members.length] as GrpcClient
    // A member that is cut off from the others would go on without a word.
    const headers = { ...(await this.#headers(member)), hasleader: 'true' }
    const createRequest = { ...keys, filters: ['NODELETE'] }
    try {
      yield* this.#calls.duplex(member, 'Watch', { createRequest }, { headers, signal })
    } finally {
      if (!signal.aborted && this.#next === at) this.#next += 1
    }
  }

  close(): void {
    for (const member of this.#members) member.close()
  }

  async #ask(name: string, request: object): Promise<object> {
    const at = this.#next
    const member = this.#members[at % this.#members.length] as GrpcClient
    try {
      return await this.#calls.unary(member, name, request, await this.#headers(member))
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      if (error.code === status.UNAUTHENTICATED) this.#token = undefined
      const isGone = error.code === status.UNAVAILABLE || error.code === status.DEADLINE_EXCEEDED
      if (isGone && this.#next === at) this.#next += 1
      throw error
    }
  }

  async #headers(member: GrpcClient): Promise<Readonly<Record<string, string>>> {
    if (this.#user === undefined) return {}
    this.#token ??= this.#calls.unary(member, 'Authenticate', this.#user, {}).then((answer) => {
      return (answer as { readonly token: string }).token
    })
    try {
      return { token: await this.#token }
    } catch (error) {
      this.#token = undefined
      throw error
    }
  }
}
