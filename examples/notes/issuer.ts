// SPDX-License-Identifier: Apache-2.0
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'

const ALGORITHM = 'ES256'
const KEY_ID = 'notes-1'
const AUDIENCE = 'percolite'
const ROLE = 'member'

/** Signs what tells the database who a user is, by a key that is made anew at each start. */
export class Issuer {
  readonly #name: string
  readonly #lifeSeconds: number
  readonly #privateKey: CryptoKey
  /** For the database, as a JSON Web Key Set (RFC 7517). */
  readonly keySet: { readonly keys: readonly JWK[] }

  private constructor(
    { name, lifeSeconds }: { readonly name: string; readonly lifeSeconds: number },
    key: { readonly privateKey: CryptoKey; readonly publicJwk: JWK },
  ) {
    this.#name = name
    this.#lifeSeconds = lifeSeconds
    this.#privateKey = key.privateKey
    this.keySet = { keys: [{ ...key.publicJwk, kid: KEY_ID, alg: ALGORITHM, use: 'sig' }] }
  }

  static async create(options: {
    readonly name: string
    readonly lifeSeconds: number
  }): Promise<Issuer> {
    const { privateKey, publicKey } = await generateKeyPair(ALGORITHM)
    return new Issuer(options, { privateKey, publicJwk: await exportJWK(publicKey) })
  }

  /** A JWT of the role of all users, for one of them. */
  async tokenFor(user: string): Promise<string> {
    return await new SignJWT({ role: ROLE })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: KEY_ID })
      .setIssuer(this.#name)
      .setAudience(AUDIENCE)
      .setSubject(user)
      .setIssuedAt()
      .setExpirationTime(`${this.#lifeSeconds} seconds`)
      .sign(this.#privateKey)
  }
}
