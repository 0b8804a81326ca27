/** Where the page is. A deployment sets these two in the environment. */
export const ORIGIN = process.env.ORIGIN ?? 'http://localhost:3000'
/** Where the database is, as browsers reach it. */
export const DATABASE = process.env.DATABASE ?? 'http://localhost:4270'
/** Who the tokens of users are for: the flag --jwt-audience of the database. */
export const AUDIENCE = 'app-name'
/** The key that signs tokens, the public keys for the database, and the token of its administrator. */
export const KEYS = 'keys'
