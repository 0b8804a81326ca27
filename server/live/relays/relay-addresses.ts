// SPDX-License-Identifier: Apache-2.0
import { lookup as lookUpName } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

type Network = ReturnType<typeof ipaddr.parseCIDR>
type Found = { readonly address: string; readonly family: number }
/** All addresses of a name. */
export type NameLookup = (
  name: string,
  found: (error: Error | null, addresses: readonly Found[]) => void,
) => void

const ANY_HTTPS = 'https://*'
const URL_CHARACTERS_MAX = 2_000
/** What is routed in the Internet by IPv6; what else looks like an address of a host is one of an old scheme. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

const systemLookup: NameLookup = (name, found) => {
  lookUpName(name, { all: true, verbatim: true }, (error, addresses = []) =>
    found(error, addresses),
  )
}

/**
 * Where relays may send to, as the operator says: origins such as `https://hooks.example.com`, or `https://*` for any,
 * and networks such as `10.1.0.0/16`, in which the addresses of these names may lie beside public ones. An origin that
 * is an address allows that address.
 */
export class RelayAddresses {
  readonly #origins = new Set<string>()
  readonly #networks: Network[] = []
  readonly #lookUp: NameLookup

  /** Throws TypeError for what is neither. */
  constructor(allowed: readonly string[], lookUp: NameLookup = systemLookup) {
    this.#lookUp = lookUp
    for (const one of allowed) {
      if (one === ANY_HTTPS) this.#origins.add(one)
      else if (one.includes('://')) this.#allowOrigin(one)
      else this.#networks.push(networkOf(one))
    }
  }

  /** Why nothing is sent to this URL; undefined where it may be, as far as its text tells. */
  refusalOf(text: string): string | undefined {
    const url = text.length > URL_CHARACTERS_MAX ? null : URL.parse(text)
    if (url === null || !/^https?:$/.test(url.protocol)) {
      return `A relay sends to a URL of https or http of at most ${URL_CHARACTERS_MAX} characters.`
    }
    if (url.username !== '' || url.password !== '' || url.hash !== '') {
      return 'The URL of a relay has no user, password or fragment: messages are signed by its secret.'
    }
    const isAny = url.protocol === 'https:' && this.#origins.has(ANY_HTTPS)
    if (!isAny && !this.#origins.has(url.origin)) {
      return `The operator lets nothing be sent to ${url.origin}: see --relay-to.`
    }
    const address = addressIn(url)
    if (address === undefined || this.mayReach(address)) return undefined
    return notReached(address)
  }

  /** Whether it is a public address, or one of a network that the operator names. */
  mayReach(text: string): boolean {
    if (!ipaddr.isValid(text)) return false
    const address = ipaddr.process(text)
    const isGlobal = address.kind() === 'ipv4' || address.match(GLOBAL_IPV6)
    if (isGlobal && address.range() === 'unicast') return true
    return this.#networks.some(
      ([network, bits]) => network.kind() === address.kind() && address.match([network, bits]),
    )
  }

  /**
   * Looks a name up for a socket, which connects to the very address that was looked at. A name of which one address
   * may not be reached is refused: which of them comes first is up to the owner of the name.
   */
  readonly lookup: LookupFunction = (name, options, found) => {
    this.#lookUp(name, (error, addresses) => {
      const [first] = addresses
      const refused = addresses.find(({ address }) => !this.mayReach(address))
      const failure =
        error ??
        (refused && new Error(notReached(refused.address))) ??
        (first === undefined ? new Error(`The name ${name} has no address.`) : undefined)
      if (failure !== undefined || first === undefined) return found(failure as Error, '', 0)
      if (options.all === true) found(null, [first])
      else found(null, first.address, first.family)
    })
  }

  #allowOrigin(text: string): void {
    const url = URL.parse(text)
    if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== text) {
      throw new TypeError(`${text} is no origin.`)
    }
    this.#origins.add(url.origin)
    const address = addressIn(url)
    if (address !== undefined) this.#networks.push(networkOf(address))
  }
}

function notReached(address: string): string {
  return `The address ${address} is not public, and the operator names no network with it: see --relay-to.`
}

/** Of a URL that has an address in place of a name. URLs have written out every form of it: `0x7f.1` is 127.0.0.1. */
function addressIn({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 ? undefined : host
}

/** Throws TypeError. */
function networkOf(text: string): Network {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text)
    if (isIP(text) === 0) throw new TypeError(text)
    const address = ipaddr.process(text)
    return [address, address.kind() === 'ipv4' ? 32 : 128] as Network
  } catch {
    throw new TypeError(`${text} is no network.`)
  }
}
