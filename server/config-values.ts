// SPDX-License-Identifier: Apache-2.0

import type { Flag, FlagName } from './flags.ts'
import type { JwtKeySource } from './guard/access/jwt-keys.ts'
import type { JwtRules } from './guard/access/jwt-tokens.ts'
import { ClientKeys } from './guard/budgets/client-key.ts'
import { RelayAddresses } from './live/relays/relay-addresses.ts'
import { UsageError } from './usage-error.ts'

/** What `--jwt-…` say. */
export type JwtConfig = JwtRules & { readonly keys: JwtKeySource }

const AMOUNT = /^(\d{1,9})([A-Za-z]+)$/
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
// A timer of Node holds no more than this, about 24 days.
const DURATION_MS_MAX = 2 ** 31 - 1

const UNIT_BYTES = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }
const SIZE_BYTES_MAX = 2 ** 32

/** The text of a flag as it was given. Throws UsageError where it is none that the flag takes. */
export function checkedText(name: string, flag: Flag, text: string): string {
  const { kind, choices, mayBeZero = false } = flag
  const refused = (wanted: string) => new UsageError(`--${name} ${text}: ${wanted}.`)
  switch (kind) {
    case 'choice':
      if (!choices?.includes(text)) throw refused(`it is one of ${choices?.join(', ')}`)
      break
    case 'port':
      if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
        throw refused('a port is a number from 0 to 65535')
      }
      break
    case 'switch':
      if (text !== 'true' && text !== 'false') throw refused('it is true or false')
      break
    case 'duration': {
      const ms = durationMs(text)
      if (!(ms >= (mayBeZero ? 0 : 1) && ms <= DURATION_MS_MAX)) {
        throw refused('a duration is written like 500ms, 30s, 5m or 1h, and is at most 24 days')
      }
      break
    }
    case 'size': {
      const bytes = sizeBytes(text)
      if (!(bytes <= SIZE_BYTES_MAX)) {
        throw refused('a size is written like 512KiB, 64MiB or 1GiB, and is at most 4GiB')
      }
      break
    }
    case 'count':
      if (text !== '' && !/^[1-9]\d{0,6}$/.test(text)) {
        throw refused('it is a whole number from 1 to 9999999')
      }
      break
    case 'text':
      if (text === '') throw refused('it is empty')
  }
  return text
}

/** `30s` in ms; NaN where the text is no duration. */
export function durationMs(text: string): number {
  return amountOf(text, UNIT_MS)
}

/** `64MiB` in bytes; NaN where the text is no size. */
export function sizeBytes(text: string): number {
  return amountOf(text, UNIT_BYTES)
}

function amountOf(text: string, units: Readonly<Record<string, number>>): number {
  const [, amount, unit = ''] = AMOUNT.exec(text) ?? []
  return Object.hasOwn(units, unit) ? Number(amount) * (units[unit] as number) : Number.NaN
}

/** Whether it is an address of the web. */
export function isWebAddress(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '')
}

/** It stands in the close of a socket. */
const URL_CHARACTERS_MAX = 120

/** Without the slash at its end; undefined where nothing was given. Throws UsageError. */
export function checkedUrl(flag: string, text: string): string | undefined {
  if (text === '') return undefined
  if (isAnyAddress(URL.parse(text)?.hostname)) {
    throw new UsageError(`--${flag} ${text}: others cannot reach an address that stands for any.`)
  }
  if (isWebAddress(text) && text.length <= URL_CHARACTERS_MAX) {
    return text.replace(/\/$/, '')
  }
  throw new UsageError(
    `--${flag} ${text}: it is an address such as http://10.0.0.4:4270, at most 120 bytes.`,
  )
}

/** Throws UsageError where a server over a shared store would tell others an address that leads nowhere. */
export function requireReachable(host: string): void {
  if (!isAnyAddress(URL.parse(`http://${host.includes(':') ? `[${host}]` : host}`)?.hostname))
    return
  throw new UsageError(
    `--host ${host} stands for any address: add --advertise http://…, by which clients and other servers reach this one.`,
  )
}

/** In the form that URLs have. */
function isAnyAddress(hostname: string | undefined): boolean {
  return hostname === '0.0.0.0' || hostname === '[::]'
}

/** As browsers send it: scheme, host and, where it is not the scheme's own, port; nothing after it. */
export function checkedOrigin(text: string): string {
  if (URL.parse(text)?.origin === text) return text
  throw new UsageError(
    `--allow-origin ${text}: an origin is written like https://app.example or http://localhost:3000.`,
  )
}

/** Throws UsageError where one is no address and no network. */
export function checkedProxies(trusted: readonly string[]): readonly string[] {
  try {
    new ClientKeys(trusted)
    return trusted
  } catch {
    throw new UsageError(
      `--trust-proxy ${trusted.join(',')}: a proxy is an address, a network such as 10.0.0.0/8, or loopback.`,
    )
  }
}

/** Throws UsageError where one is no origin and no network. */
export function checkedRelayTargets(text: string): readonly string[] {
  const allowed = listOf(text)
  try {
    new RelayAddresses(allowed)
    return allowed
  } catch {
    throw new UsageError(
      `--relay-to ${text}: it is an origin such as https://hooks.example, https://* or a network such as 10.1.0.0/16.`,
    )
  }
}

/** What stands between the commas. */
export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** Whose JWTs are taken, from four flags: undefined where none is. Throws UsageError where one is missing or wrong. */
export function jwtOf(
  issuer: string,
  audience: string,
  keys: string,
  roleClaim: string,
): JwtConfig | undefined {
  if (issuer === '' && audience === '' && keys === '') return undefined
  const given = { 'jwt-issuer': issuer, 'jwt-audience': audience, 'jwt-keys': keys }
  const missing = Object.entries(given).flatMap(([name, text]) => (text === '' ? `--${name}` : []))
  if (missing.length > 0) {
    throw new UsageError(
      `--jwt-issuer, --jwt-audience and --jwt-keys belong together; ${missing.join(' and ')} is missing.`,
    )
  }
  if (/^http:/i.test(keys)) {
    throw new UsageError(`--jwt-keys ${keys}: keys are fetched by https only.`)
  }
  const isUrl = /^https:/i.test(keys)
  if (isUrl && URL.parse(keys) === null) throw new UsageError(`--jwt-keys ${keys}: it is no URL.`)
  const source = isUrl
    ? ({ kind: 'url', url: keys } as const)
    : ({ kind: 'file', path: keys } as const)
  return { issuer, audience, roleClaim, keys: source }
}

/** Flags to be shown: an address without the name, the password and the parameters that may be in it. */
export function withoutSecrets(
  texts: Partial<Readonly<Record<FlagName, string>>>,
): Record<string, string> {
  const ofAddress = (text: string) =>
    text.replaceAll(/:\/\/[^/\s@,]*@/g, '://').replaceAll(/[?#][^\s,]*/g, '')
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      text.includes('://') ? ofAddress(text) : text,
    ]),
  )
}
