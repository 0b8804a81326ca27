// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs'
import { GoogleAuth } from 'google-auth-library'
import {
  GrpcCalls,
  type GrpcClient,
  type GrpcCredentials,
  grpcClient,
  plainText,
  withGoogleCredential,
} from '../network/grpc-calls.ts'
import type { StreamCalls, UnaryCalls } from './bigtable-messages.ts'
import { ChannelPool } from './channel-pool.ts'

/** The calls of Bigtable as they are on the wire; rejects with CallError. */
export interface BigtableTransport {
  /** By the names of the calls. */
  readonly requestsSent: ReadonlyMap<string, number>
  unary<Name extends keyof UnaryCalls>(
    name: Name,
    request: UnaryCalls[Name]['request'],
  ): Promise<UnaryCalls[Name]['response']>

  /** Ending the iteration ends the call. */
  stream<Name extends keyof StreamCalls>(
    name: Name,
    request: StreamCalls[Name]['request'],
    signal?: AbortSignal,
  ): AsyncIterable<StreamCalls[Name]['response']>

  /** How long a request is on the wire, in bytes. */
  bytesOf(name: 'ReadRows', request: StreamCalls['ReadRows']['request']): number

  close(): void
}

/** `BIGTABLE_EMULATOR_HOST` is asked in plain text and without credentials. */
export type BigtableAddress = { readonly emulatorHost: string | undefined }

const DATA_HOST = 'bigtable.googleapis.com:443'
const ADMIN_HOST = 'bigtableadmin.googleapis.com:443'
const SCOPES = ['data', 'admin.table'].map((scope) => {
  return `https://www.googleapis.com/auth/bigtable.${scope}`
})
const SERVICES = ['google.bigtable.v2.Bigtable', 'google.bigtable.admin.v2.BigtableTableAdmin']
/** Longer than Bigtable takes for a call that it will answer; the protocol's own bounds are longer. */
const CALL_MS = 20_000
/** A `FeatureFlags` message that says: this client understands reverse scans. Else they are refused. */
const FEATURES = 'CAE='
/** About a hundred calls run at once in a connection, and these many connections are opened. */
const CHANNELS = 4

const ADMIN_CALLS = new Set<string>(['CreateTable', 'GetTable', 'ModifyColumnFamilies'])

/** The calls over gRPC. */
export class GrpcTransport implements BigtableTransport {
  readonly #calls = new GrpcCalls(readDescriptors(), SERVICES, CALL_MS)
  readonly #data: ChannelPool
  readonly #admin: ChannelPool

  private constructor(
    open: (host: string) => GrpcClient,
    warmed: { readonly name: string; readonly appProfileId: string } | undefined,
  ) {
    this.#data = new ChannelPool(
      () => open(DATA_HOST),
      CHANNELS,
      (client) => {
        // What comes of it does not matter: a connection that cannot be warmed is used all the same.
        if (warmed !== undefined)
          this.#unaryOn(client, 'PingAndWarm', warmed).catch(() => undefined)
      },
    )
    this.#admin = new ChannelPool(() => open(ADMIN_HOST), 1)
  }

  get requestsSent(): ReadonlyMap<string, number> {
    return this.#calls.sent
  }

  /** Opens no connection yet; `instance` is `projects/P/instances/I`, for which a new connection is warmed. */
  static async open(
    { emulatorHost }: BigtableAddress,
    { instance, profile }: { readonly instance: string; readonly profile: string },
  ): Promise<GrpcTransport> {
    if (emulatorHost !== undefined) {
      return new GrpcTransport(() => grpcClient(emulatorHost, plainText()), undefined)
    }
    const credentials = await ownCredentials()
    const warmed = { name: instance, appProfileId: profile }
    return new GrpcTransport((host) => grpcClient(host, credentials), warmed)
  }

  async unary<Name extends keyof UnaryCalls>(
    name: Name,
    request: UnaryCalls[Name]['request'],
  ): Promise<UnaryCalls[Name]['response']> {
    const pool = ADMIN_CALLS.has(name) ? this.#admin : this.#data
    return await pool.use((client) => this.#unaryOn(client, name, request))
  }

  async *stream<Name extends keyof StreamCalls>(
    name: Name,
    request: StreamCalls[Name]['request'],
    signal?: AbortSignal,
  ): AsyncIterable<StreamCalls[Name]['response']> {
    const { client, release } = this.#data.take()
    try {
      const options = { headers: headersOf(request), signal }
      for await (const message of this.#calls.stream(client, name, request, options)) yield message
    } finally {
      release()
    }
  }

  bytesOf(name: 'ReadRows', request: StreamCalls['ReadRows']['request']): number {
    return this.#calls.bytesOf(name, request)
  }

  close(): void {
    this.#data.close()
    this.#admin.close()
  }

  async #unaryOn<Name extends keyof UnaryCalls>(
    client: GrpcClient,
    name: Name,
    request: UnaryCalls[Name]['request'],
  ): Promise<UnaryCalls[Name]['response']> {
    const answer = await this.#calls.unary(client, name, request, headersOf(request))
    return answer as UnaryCalls[Name]['response']
  }
}

function readDescriptors(): object {
  return JSON.parse(readFileSync(new URL('bigtable-descriptors.json', import.meta.url), 'utf8'))
}

/** What routes a call to the servers of the table. */
function headersOf(request: object): Readonly<Record<string, string>> {
  const { tableName, appProfileId, name, parent } = request as Readonly<
    Record<string, string | undefined>
  >
  const named = { table_name: tableName, name, parent, app_profile_id: appProfileId }
  const parameters = Object.entries(named)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encodeURIComponent(value as string)}`)
  return { 'x-goog-request-params': parameters.join('&'), 'bigtable-features': FEATURES }
}

/** Those that the machine, the environment or `gcloud` has: Application Default Credentials. */
async function ownCredentials(): Promise<GrpcCredentials> {
  return withGoogleCredential(await new GoogleAuth({ scopes: SCOPES }).getClient())
}
