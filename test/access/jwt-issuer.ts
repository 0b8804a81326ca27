// SPDX-License-Identifier: Apache-2.0
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { testFolder } from '../test-folder.ts'

const ISSUER = 'https://id.example'
const AUDIENCE = 'percolite'

type Key = { readonly kid: string; readonly privateKey: CryptoKey; readonly publicJwk: JWK }

/** An issuer of JWTs with keys of its own, which are in a file. */
export class JwtIssuer {
  readonly path: string
  readonly #nowMs: () => number
  #keys: Key[] = []

  private constructor(path: string, nowMs: () => number) {
    this.path = path
    this.#nowMs = nowMs
  }

  /** One with one key. */
  static async create(
    t: Parameters<typeof testFolder>[0],
    nowMs: () => number = Date.now,
  ): Promise<JwtIssuer> {
    const issuer = new JwtIssuer(join(await testFolder(t, 'jwt'), 'keys.json'), nowMs)
    await issuer.rotate()
    return issuer
  }

  /** What a server that takes its tokens is started with. */
  get flags() {
    return { 'jwt-issuer': ISSUER, 'jwt-audience': AUDIENCE, 'jwt-keys': this.path }
  }

  /** A new key in place of the others, or beside them. */
  async rotate({ keep = false } = {}): Promise<void> {
    const kid = `key-${this.#keys.length + 1}-${Math.round(performance.now() * 1000)}`
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const publicJwk = { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }
    this.#keys = [...(keep ? this.#keys : []), { kid, privateKey, publicJwk }]
    await writeFile(this.path, JSON.stringify(this.keySet))
  }

  get keySet(): { readonly keys: readonly JWK[] } {
    return { keys: this.#keys.map(({ publicJwk }) => publicJwk) }
  }

  /** A token that counts, unless it is said otherwise; a claim that is undefined is left out. */
  async token(
    subject: string,
    role = 'member',
    other: Readonly<Record<string, unknown>> = {},
    header: Readonly<Record<string, unknown>> = {},
  ): Promise<string> {
    const { kid, privateKey } = this.#keys.at(-1) as Key
    const iat = Math.floor(this.#nowMs() / 1000)
    const all = { iss: ISSUER, aud: AUDIENCE, sub: subject, role, iat, exp: iat + 3_600, ...other }
    const claims = Object.fromEntries(
      Object.entries(all).filter(([, value]) => value !== undefined),
    )
    return await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid, ...header })
      .sign(privateKey)
  }
}
