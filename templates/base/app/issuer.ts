import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, importJWK, type JWK, jwtVerify, SignJWT } from 'jose'

const ALGORITHM = 'ES256'
const KEY_ID = 'app-1'
const SESSION = 'session'

type Options = { readonly folder: string; readonly issuer: string; readonly audience: string }

/** Signs who a user is: for the database, and for the cookie that says who is signed in. */
export class Issuer {
  readonly #options: Options
  readonly #key: CryptoKey
  readonly #publicKey: CryptoKey

  private constructor(options: Options, key: CryptoKey, publicKey: CryptoKey) {
    this.#options = options
    this.#key = key
    this.#publicKey = publicKey
  }

  /** With the key of the folder, which is made at the first start. */
  static async open(options: Options): Promise<Issuer> {
    const { folder } = options
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const jwk = readJwk(join(folder, 'private.json')) ?? (await makeKey(folder))
    const { d: _, ...publicJwk } = jwk
    const [key, publicKey] = await Promise.all([importJWK(jwk), importJWK(publicJwk)])
    return new Issuer(options, key as CryptoKey, publicKey as CryptoKey)
  }

  /** What the database takes for five minutes; the client asks for another one before that. */
  async tokenFor(user: string): Promise<string> {
    return await this.#sign(user, this.#options.audience, '5 minutes')
  }

  /** What a cookie holds of a user who is signed in. */
  async sessionOf(user: string): Promise<string> {
    return await this.#sign(user, SESSION, '30 days')
  }

  /** The user of a cookie; undefined where it says nobody. */
  async userOf(session: string | undefined): Promise<string | undefined> {
    if (session === undefined) return undefined
    const expected = { issuer: this.#options.issuer, audience: SESSION, algorithms: [ALGORITHM] }
    return await jwtVerify(session, this.#publicKey, expected).then(
      ({ payload }) => payload.sub,
      () => undefined,
    )
  }

  async #sign(user: string, audience: string, life: string): Promise<string> {
    return await new SignJWT({ role: 'member' })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: KEY_ID })
      .setIssuer(this.#options.issuer)
      .setAudience(audience)
      .setSubject(user)
      .setIssuedAt()
      .setExpirationTime(life)
      .sign(this.#key)
  }
}

function readJwk(file: string): JWK | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function makeKey(folder: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
  const jwk: JWK = { ...(await exportJWK(privateKey)), alg: ALGORITHM, kid: KEY_ID }
  const { d: _, ...publicJwk } = jwk
  writeFileSync(
    join(folder, 'public.json'),
    JSON.stringify({ keys: [{ ...publicJwk, use: 'sig' }] }),
  )
  writeFileSync(join(folder, 'private.json'), JSON.stringify(jwk), { mode: 0o600 })
  return jwk
}
