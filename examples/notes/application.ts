// SPDX-License-Identifier: Apache-2.0
import { globSync, readFileSync } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Issuer } from './issuer.ts'
import { Sessions } from './sessions.ts'

const BODY_BYTES_MAX = 1_000
const USER = /^[a-z]{1,32}$/
const HERE = fileURLToPath(new URL('.', import.meta.url))
/** Where `tsconfig.json` has the page and the client compiled to. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/notes', import.meta.url))

type Answer = {
  readonly status?: number
  readonly type?: string
  readonly cookie?: string
  readonly body: string
}

export type Application = {
  /** Where its page is, and where the database is. */
  readonly origin: string
  readonly database: string
  readonly issuer: Issuer
}

/** Answers the requests of a page and signs tokens for its users. */
export function application({ origin, database, issuer }: Application): RequestListener {
  const files = readFiles()
  const sessions = new Sessions()
  const headers = securityHeaders(database)

  async function answerTo(request: IncomingMessage): Promise<Answer> {
    const { method = '', url = '', headers } = request
    const user = sessions.userOf(headers.cookie)
    if (method === 'GET' && url === '/session') {
      return { type: 'application/json', body: JSON.stringify({ user, database }) }
    }
    if (method === 'GET') return files.get(url) ?? { status: 404, body: 'There is no such file.' }
    // Only this page may sign somebody in or out, or ask for a token.
    if (method !== 'POST' || headers.origin !== origin) {
      return { status: 403, body: `This is for pages of ${origin}.` }
    }
    switch (url) {
      case '/sign-in': {
        const name = await bodyOf(request)
        if (!USER.test(name)) return { status: 400, body: 'A name has 1 to 32 letters, a to z.' }
        // An application asks for more than a name here.
        return { cookie: sessions.begin(name), body: '' }
      }
      case '/sign-out':
        return { cookie: sessions.end(headers.cookie), body: '' }
      case '/token':
        if (user === undefined) return { status: 401, body: 'You are not signed in any more.' }
        return { body: await issuer.tokenFor(user) }
      default:
        return { status: 404, body: 'There is no such way.' }
    }
  }

  return (request, response) => {
    answerTo(request).then(
      (answer) => send(response, answer, headers),
      (error: Error) => send(response, { status: 400, body: error.message }, headers),
    )
  }
}

function send(response: ServerResponse, answer: Answer, headers: Readonly<Record<string, string>>) {
  const { status = 200, type = 'text/plain', cookie, body } = answer
  if (cookie !== undefined) response.setHeader('Set-Cookie', cookie)
  response.writeHead(status, { ...headers, 'Content-Type': `${type}; charset=utf-8` }).end(body)
}

/** The page loads nothing from elsewhere, and talks to this application and the database alone. */
function securityHeaders(database: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src data:',
    `connect-src 'self' ${database} ${database.replace('https:', 'wss:')}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ]
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  }
}

/** What may be fetched, by its path. Throws where the page has not been compiled. */
function readFiles(): ReadonlyMap<string, Answer> {
  const scripts = globSync('**/*.js', { cwd: COMPILED })
  if (scripts.length === 0) throw new Error('The page is not compiled: npm run example:notes.')
  const read = (folder: string, name: string, type: string) => ({
    type,
    body: readFileSync(join(folder, name), 'utf8'),
  })
  return new Map([
    ['/', read(HERE, 'index.html', 'text/html')],
    ['/style.css', read(HERE, 'style.css', 'text/css')],
    ...scripts.map((path) => [`/${path}`, read(COMPILED, path, 'text/javascript')] as const),
  ])
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk
    if (body.length > BODY_BYTES_MAX) throw new Error('The body is too long.')
  }
  return body
}
