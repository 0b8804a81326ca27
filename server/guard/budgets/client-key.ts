// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import proxyAddress from '@fastify/proxy-addr'
import ipaddr from 'ipaddr.js'

/** Whose share of a bound something is taken from: an address of IPv4, or the first 64 bits of one of IPv6. */
export type ClientKey = string & { readonly __clientKey: true }

/** A client without an address: its connection has ended, or a proxy names none. */
export const NO_ADDRESS = 'none' as ClientKey

/** What the server does on its own account, such as running observers. */
export const SERVER_ITSELF = 'server' as ClientKey

/** Tells clients apart by the address of their peer or, behind proxies that are trusted, by the forwarded one. */
export class ClientKeys {
  readonly #isTrusted: ((address: string, hop: number) => boolean) | undefined
  /** Most requests come from the peer that the one before came from. */
  #last: { readonly address: string; readonly key: ClientKey } | undefined
  /** Of requests that another gateway has handed on. */
  #forwarded: WeakMap<IncomingMessage, ClientKey> | undefined

  /** `trusted` are addresses, networks such as `10.0.0.0/8`, or `loopback`. Throws TypeError for anything else. */
  constructor(trusted: readonly string[]) {
    this.#isTrusted = trusted.length === 0 ? undefined : proxyAddress.compile([...trusted])
  }

  /** The request is that of this client, and not of the gateway that sends it. */
  cameFrom(request: IncomingMessage, client: ClientKey): void {
    this.#forwarded ??= new WeakMap()
    this.#forwarded.set(request, client)
  }

  of(request: IncomingMessage): ClientKey {
    const forwarded = this.#forwarded?.get(request)
    if (forwarded !== undefined) return forwarded
    const peer = request.socket.remoteAddress
    if (peer === undefined) return NO_ADDRESS
    return this.#keyOf(
      this.#isTrusted === undefined ? peer : proxyAddress(request, this.#isTrusted),
    )
  }

  /** Of a connection before its first request; a proxy that is trusted is a client then. */
  ofPeer({ remoteAddress }: Socket): ClientKey {
    return remoteAddress === undefined ? NO_ADDRESS : this.#keyOf(remoteAddress)
  }

  #keyOf(address: string): ClientKey {
    if (this.#last?.address !== address) this.#last = { address, key: clientKeyOf(address) }
    return this.#last.key
  }
}

const HOST_PARTS_OF_IPV6 = 4

/** One household or machine has a whole network of IPv6, of 64 bits, and may choose its addresses in it. */
export function clientKeyOf(address: string): ClientKey {
  if (isIP(address) === 0) return NO_ADDRESS
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString() as ClientKey
  const network = (parsed as ipaddr.IPv6).parts.slice(0, HOST_PARTS_OF_IPV6)
  return `${network.map((part) => part.toString(16)).join(':')}::/64` as ClientKey
}
