// SPDX-License-Identifier: Apache-2.0
import { unwatchFile, watchFile } from 'node:fs'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type FetchImplementation,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
} from 'jose'
import type { Logger } from 'pino'
import { readRegularSync } from '../../../storage/operations/operations.ts'
import type { Clock } from '../../../storage/storage.ts'

/** Where the public keys of an issuer are. */
export type JwtKeySource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string }

const LOOK_MS = 5_000
const FETCH_MS = 5_000
const CACHE_MS = 600_000
/** A key that is not known is asked for once in this time, whoever shows tokens of it, and so is a URL that failed. */
const COOL_DOWN_MS = 30_000
/** The keys of the last fetch that went well serve for so long. */
const LAST_GOOD_MS = 24 * 3_600_000
const KEY_SET_BYTES_MAX = 64 * 1024

/** The public keys of an issuer: from a file, which is read again when it changes, or from a URL. */
export class JwtKeys {
  readonly #source: JwtKeySource
  readonly #log: Logger
  readonly #clock: Clock
  #known:
    | { readonly set: JSONWebKeySet; readonly find: JWTVerifyGetKey; readonly atMs: number }
    | undefined
  #version = 0
  #failedMs = Number.NEGATIVE_INFINITY
  readonly #remote: JWTVerifyGetKey | undefined

  /** Throws Error where the file cannot be used. */
  constructor(
    source: JwtKeySource,
    { log, clock }: { readonly log: Logger; readonly clock: Clock },
  ) {
    this.#source = source
    this.#log = log
    this.#clock = clock
    if (source.kind === 'file') {
      this.#know(readKeys(source.path))
      watchFile(source.path, { interval: LOOK_MS, persistent: false }, this.#onChange)
    } else {
      this.#remote = createRemoteJWKSet(new URL(source.url), {
        timeoutDuration: FETCH_MS,
        cooldownDuration: COOL_DOWN_MS,
        cacheMaxAge: CACHE_MS,
        [customFetch]: this.#fetch,
      })
    }
  }

  /** Another one when the keys have changed. */
  get version(): number {
    return this.#version
  }

  /** The key of this id as it is now; undefined where there is none. */
  keyText(id: string | undefined): string | undefined {
    const key = this.#known?.set.keys.find(({ kid }) => kid !== undefined && kid === id)
    return key === undefined ? undefined : JSON.stringify(key)
  }

  /** The key that a token names. Rejects with errors of jose where there is none. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const { find, atMs } = this.#known ?? { find: undefined, atMs: 0 }
    if (this.#remote === undefined) return await (find as JWTVerifyGetKey)(header, token)
    const nowMs = this.#clock.monotonicMs()
    const last = find !== undefined && nowMs - atMs < LAST_GOOD_MS ? find : undefined
    if (last !== undefined && nowMs - this.#failedMs < COOL_DOWN_MS)
      return await last(header, token)
    try {
      return await this.#remote(header, token)
    } catch (error) {
      if (isAboutKey(error)) throw error
      this.#failedMs = nowMs
      this.#log.warn({ reason: String(error) }, 'the keys of the issuer could not be fetched')
      if (last === undefined) throw error
      return await last(header, token)
    }
  }

  /** Reads the file again. Never throws; keys from a URL are fetched when they are needed. */
  reload(): void {
    if (this.#source.kind !== 'file') return
    try {
      this.#know(readKeys(this.#source.path))
    } catch (error) {
      const { message } = error as Error
      this.#log.error({ reason: message }, 'the keys of the issuer stay those of before')
    }
  }

  stop(): void {
    if (this.#source.kind === 'file') unwatchFile(this.#source.path, this.#onChange)
  }

  readonly #onChange = (): void => this.reload()

  readonly #fetch: FetchImplementation = async (url, options) => {
    const answer = await fetch(url, options)
    if (answer.status !== 200) return answer
    const text = await shortText(answer)
    this.#know(text)
    return new Response(text, { status: 200 })
  }

  /** Throws Error for a text that is no set of keys. */
  #know(text: string): void {
    const set = JSON.parse(text) as JSONWebKeySet
    const find = createLocalJWKSet(set)
    const isNew = JSON.stringify(this.#known?.set) !== JSON.stringify(set)
    this.#known = { set, find, atMs: this.#clock.monotonicMs() }
    if (!isNew) return
    this.#version += 1
    this.#log.info({ keys: set.keys.length }, 'the keys of the issuer have been read')
  }
}

function readKeys(path: string): string {
  return readRegularSync(path, KEY_SET_BYTES_MAX).toString('utf8')
}

async function shortText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length
    if (bytes > KEY_SET_BYTES_MAX) throw new Error('the set of keys is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Whether the keys are there, and this one is not among them. */
function isAboutKey(error: unknown): boolean {
  const { code } = error as { readonly code?: string }
  return code === 'ERR_JWKS_NO_MATCHING_KEY' || code === 'ERR_JWKS_MULTIPLE_MATCHING_KEYS'
}
