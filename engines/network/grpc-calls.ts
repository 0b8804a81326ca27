// SPDX-License-Identifier: Apache-2.0
import { isIP } from 'node:net'
import { checkServerIdentity as checkIdentity } from 'node:tls'
import * as grpc from '@grpc/grpc-js'
import { fromJSON } from '@grpc/proto-loader'
import { CallError } from './call-errors.ts'

type Method = grpc.MethodDefinition<object, object>

export type GrpcClient = grpc.Client
export type GrpcCredentials = grpc.ChannelCredentials

const CHANNEL_OPTIONS: grpc.ChannelOptions = {
  // Whether a call may be sent again is said by what it does: `call-errors.ts`.
  'grpc.enable_retries': 0,
  // Channels to one address would share one connection.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.max_receive_message_length': -1,
  // After an election or an outage: not longer than a client waits.
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.max_reconnect_backoff_ms': 1_000,
}

/** Opens no connection before the first call. */
export function grpcClient(address: string, credentials: GrpcCredentials): GrpcClient {
  return new grpc.Client(address, credentials, CHANNEL_OPTIONS)
}

/** PEM; what is absent is the machine's own. */
export type TlsFiles = {
  readonly authority: Buffer | undefined
  readonly certificate: Buffer | undefined
  readonly key: Buffer | undefined
}

/**
 * As `grpcClient`, over TLS to a `host:port`. grpc-js names the server by its host, and an IP address is no name (RFC
 * 6066): Node refuses to connect. So a server by address is given a name that means nothing, and its certificate has to
 * be one of the address.
 */
export function grpcClientOverTls(address: string, files: TlsFiles): GrpcClient {
  const { authority = null, certificate = null, key = null } = files
  const host = new URL(`https://${address}`).hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) === 0) {
    return grpcClient(address, grpc.credentials.createSsl(authority, key, certificate))
  }
  const checkServerIdentity: typeof checkIdentity = (_name, peer) => checkIdentity(host, peer)
  return new grpc.Client(
    address,
    grpc.credentials.createSsl(authority, key, certificate, { checkServerIdentity }),
    { ...CHANNEL_OPTIONS, 'grpc.ssl_target_name_override': NO_NAME },
  )
}

const NO_NAME = 'by-address.invalid'

export function plainText(): GrpcCredentials {
  return grpc.credentials.createInsecure()
}

/** TLS, and the tokens of a client of google-auth-library. */
export function withGoogleCredential(client: object): GrpcCredentials {
  return grpc.credentials.combineChannelCredentials(
    grpc.credentials.createSsl(),
    grpc.credentials.createFromGoogleCredential(client as never),
  )
}

/** The calls of some services, as their descriptors say, with one deadline for all. Rejects with CallError. */
export class GrpcCalls {
  readonly #sent = new Map<string, number>()
  readonly #methods: ReadonlyMap<string, Method>
  readonly #callMs: number

  constructor(descriptors: object, services: readonly string[], callMs: number) {
    const definitions = fromJSON(descriptors, { longs: String, enums: String })
    this.#methods = new Map(
      services.flatMap((service) => Object.entries(definitions[service] as Record<string, Method>)),
    )
    this.#callMs = callMs
  }

  /** How many requests have been sent, by the names of their methods; repeated ones count again. */
  get sent(): ReadonlyMap<string, number> {
    return this.#sent
  }

  async unary(
    client: GrpcClient,
    name: string,
    request: object,
    headers: Readonly<Record<string, string>>,
  ): Promise<object> {
    const { path, requestSerialize, responseDeserialize } = this.#counted(name)
    const { promise, resolve, reject } = Promise.withResolvers<object>()
    client.makeUnaryRequest(
      ...([path, requestSerialize, responseDeserialize, request] as const),
      ...([metadataOf(headers), this.#deadline()] as const),
      (error, response) => {
        if (error !== null) reject(callErrorOf(error))
        else resolve(response as object)
      },
    )
    return await promise
  }

  /** Ending the iteration ends the call; an aborted one throws the signal's reason. */
  async *stream(
    client: GrpcClient,
    name: string,
    request: object,
    options: {
      readonly headers: Readonly<Record<string, string>>
      readonly signal?: AbortSignal | undefined
    },
  ): AsyncIterable<object> {
    const { path, requestSerialize, responseDeserialize } = this.#counted(name)
    const call = client.makeServerStreamRequest(
      ...([path, requestSerialize, responseDeserialize, request] as const),
      ...([metadataOf(options.headers), this.#deadline()] as const),
    )
    yield* messagesOf(call, options.signal)
  }

  /** As `stream`, of a call that goes on after its first request, and has no deadline. */
  async *duplex(
    client: GrpcClient,
    name: string,
    request: object,
    options: {
      readonly headers: Readonly<Record<string, string>>
      readonly signal: AbortSignal
    },
  ): AsyncIterable<object> {
    const { path, requestSerialize, responseDeserialize } = this.#counted(name)
    const call = client.makeBidiStreamRequest(
      ...([path, requestSerialize, responseDeserialize] as const),
      metadataOf(options.headers),
    )
    call.write(request)
    yield* messagesOf(call, options.signal)
  }

  /** How long a request is on the wire, in bytes. */
  bytesOf(name: string, request: object): number {
    return this.#method(name).requestSerialize(request).length
  }

  #counted(name: string): Method {
    this.#sent.set(name, (this.#sent.get(name) ?? 0) + 1)
    return this.#method(name)
  }

  #method(name: string): Method {
    return this.#methods.get(name) as Method
  }

  #deadline() {
    return { deadline: Date.now() + this.#callMs }
  }
}

async function* messagesOf(
  call: grpc.ClientReadableStream<object> | grpc.ClientDuplexStream<object, object>,
  signal: AbortSignal | undefined,
): AsyncIterable<object> {
  const stop = () => call.cancel()
  signal?.addEventListener('abort', stop)
  try {
    for await (const message of call) yield message as object
  } catch (error) {
    signal?.throwIfAborted()
    throw callErrorOf(error)
  } finally {
    signal?.removeEventListener('abort', stop)
    call.cancel()
  }
}

function metadataOf(headers: Readonly<Record<string, string>>): grpc.Metadata {
  const metadata = new grpc.Metadata()
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  return metadata
}

function callErrorOf(error: unknown): CallError {
  const { code, details, message } = error as Partial<grpc.ServiceError>
  const text = details || message || String(error)
  return new CallError(code ?? grpc.status.UNKNOWN, text, { cause: error })
}
