import { resolve } from 'node:path'
import cookie from '@fastify/cookie'
import statics from '@fastify/static'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { AUDIENCE, DATABASE, KEYS, ORIGIN } from '../settings.ts'
import { Issuer } from './issuer.ts'

const COOKIE = 'session'
const USER = /^[a-z]{1,32}$/
const IS_HTTPS = ORIGIN.startsWith('https:')

/** Signs users in, gives them tokens for the database, and serves the page: as it was built, or by Vite. */
export async function createApp({ isDev = false } = {}): Promise<FastifyInstance> {
  const app = fastify({ logger: { level: 'warn' }, bodyLimit: 10_000 })
  const issuer = await Issuer.open({ folder: KEYS, issuer: ORIGIN, audience: AUDIENCE })
  const userOf = (request: FastifyRequest) => issuer.userOf(request.cookies[COOKIE])
  await app.register(cookie)

  // Other pages may not sign somebody in or out, or ask for a token.
  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'POST' || request.headers.origin === ORIGIN) return
    return reply.code(403).send({ message: `This is for pages of ${ORIGIN}.` })
  })

  app.get('/session', async (request) => ({ user: await userOf(request), database: DATABASE }))

  app.post<{ Body: { user?: unknown } }>('/sign-in', async (request, reply) => {
    const user = request.body?.user
    // A real app asks for a password or a passkey here, or leaves signing in to a provider.
    if (typeof user !== 'string' || !USER.test(user)) {
      return reply.code(400).send({ message: 'A name has 1 to 32 letters, a to z.' })
    }
    const options = { path: '/', httpOnly: true, sameSite: 'strict', secure: IS_HTTPS } as const
    reply.setCookie(COOKIE, await issuer.sessionOf(user), { ...options, maxAge: 30 * 86_400 })
    return {}
  })

  app.post('/sign-out', async (_request, reply) => {
    reply.clearCookie(COOKIE, { path: '/' })
    return {}
  })

  app.post('/token', async (request, reply) => {
    const user = await userOf(request)
    if (user === undefined)
      return reply.code(401).send({ message: 'You are not signed in any more.' })
    return { token: await issuer.tokenFor(user) }
  })

  if (isDev) await serveByVite(app)
  else await serveBuilt(app)
  return app
}

async function serveByVite(app: FastifyInstance): Promise<void> {
  const { createServer } = await import('vite')
  const vite = await createServer({
    server: { middlewareMode: true, hmr: { server: app.server } },
    logLevel: 'warn',
  })
  app.setNotFoundHandler((request, reply) => {
    reply.hijack()
    vite.middlewares(request.raw, reply.raw)
  })
  app.addHook('onClose', () => vite.close())
}

/** The page loads nothing from elsewhere, and talks to this app and the database alone. */
async function serveBuilt(app: FastifyInstance): Promise<void> {
  const policy = [
    "default-src 'self'",
    'img-src data:',
    `connect-src 'self' ${DATABASE} ${DATABASE.replace('http', 'ws')}`,
    "frame-ancestors 'none'",
  ].join('; ')
  app.addHook('onSend', async (_request, reply) => {
    reply.headers({ 'content-security-policy': policy, 'x-content-type-options': 'nosniff' })
  })
  await app.register(statics, { root: resolve('dist') })
}
