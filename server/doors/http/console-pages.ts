// SPDX-License-Identifier: Apache-2.0

import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { ServerError } from '../../errors/server-error.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { packageFileTimeMs, readPackageBytes, readPackageFile } from '../../package-files.ts'
import type { OpenApiDocument } from './openapi/document.ts'

/** Where `npm run build:console` puts the page. */
const FOLDER = 'console/dist/'
const CONSOLE_PATH = '/console/'
const PAGE = 'index.html'
/** The names of all other files hold a hash of what is in them. */
const KEPT = 'public, max-age=31536000, immutable'

/** The page loads and asks nothing but this server, runs nothing inline, and is in no frame. */
const CONSOLE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Made at build time, so that nothing is compressed for a request. The one that is preferred stands first. */
const ENCODINGS = ['br', 'gzip'] as const
const SUFFIXES = { br: '.br', gzip: '.gz' } as const

type ConsoleFile = { readonly type: string; readonly forms: ReadonlyMap<string, Buffer> }
type ConsoleFiles = ReadonlyMap<string, ConsoleFile>

/** The console: a page and its files, which hold no data and are open to all who reach the server. */
export function addConsolePages(fastify: FastifyInstance): void {
  const built = new BuiltConsole()
  fastify.get('/console', (_request, reply) => reply.redirect(CONSOLE_PATH, 308))
  fastify.get(CONSOLE_PATH, (request, reply) => send(built.newest(), PAGE, request, reply))
  fastify.get(`${CONSOLE_PATH}:file`, (request, reply) => {
    const { file } = request.params as { readonly file: string }
    const files = built.known()
    const isThere = files.has(file) && file !== PAGE
    if (isThere) reply.header('Cache-Control', KEPT)
    return send(files, isThere ? file : '', request, reply)
  })
}

/** The files of the last build, read when one of them is first asked for. */
class BuiltConsole {
  #files: ConsoleFiles = new Map()
  #readAtMs: number | undefined

  known(): ConsoleFiles {
    return this.#readAtMs === undefined ? this.newest() : this.#files
  }

  /** Reads them again where the console was built anew. Throws ServerError `not_found` where it was not built. */
  newest(): ConsoleFiles {
    const builtAtMs = packageFileTimeMs(`${FOLDER}files.json`)
    if (builtAtMs === undefined) {
      throw new ServerError('not_found', 'The console was not built.', {
        hint: 'npm run build:console',
      })
    }
    if (builtAtMs !== this.#readAtMs) this.#files = readFiles()
    this.#readAtMs = builtAtMs
    return this.#files
  }
}

/** A dozen files with 1 MB in total. */
function readFiles(): ConsoleFiles {
  const { files } = JSON.parse(readPackageFile(`${FOLDER}files.json`)) as {
    readonly files: ReadonlyArray<{ readonly name: string; readonly type: string }>
  }
  return new Map(
    files.map(({ name, type }) => {
      const forms = new Map([['identity', readPackageBytes(FOLDER + name)]])
      for (const encoding of ENCODINGS) {
        forms.set(encoding, readPackageBytes(FOLDER + name + SUFFIXES[encoding]))
      }
      return [name, { type, forms }]
    }),
  )
}

function send(files: ConsoleFiles, name: string, request: FastifyRequest, reply: FastifyReply) {
  const file = files.get(name)
  if (file === undefined) throw new ServerError('not_found', 'The console has no such file.')
  const accepted = request.headers['accept-encoding']
  const encoding = encodingOf(accepted)
  if (encoding !== 'identity') reply.header('Content-Encoding', encoding)
  reply.headers({
    'Content-Type': file.type,
    'Content-Security-Policy': CONSOLE_CSP,
    'Cross-Origin-Opener-Policy': 'same-origin',
    Vary: 'Accept-Encoding',
  })
  return reply.send(file.forms.get(encoding))
}

/** Of the compressed forms the smallest that is taken. */
function encodingOf(accepted: string | undefined): string {
  const isRead = accepted !== undefined && accepted.length <= SERVER_LIMITS.acceptCharactersMax
  if (!isRead) return 'identity'
  const taken = new Negotiator({ headers: { 'accept-encoding': accepted } }).encodings()
  return ENCODINGS.find((encoding) => taken.includes(encoding)) ?? 'identity'
}

/** The plugin's own would have browsers ask for the page's files by HTTPS, which is not spoken here. */
const DOCUMENTATION_CSP = [
  "default-src 'self'",
  "base-uri 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A page to read the contract and to try it, from files of our own only, so that it works offline. */
export function addDocumentationPages(fastify: FastifyInstance, document: OpenApiDocument): void {
  fastify.register(swagger, {
    mode: 'static',
    specification: { document: document.json as never },
  })
  fastify.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: DOCUMENTATION_CSP,
    uiConfig: { validatorUrl: null, deepLinking: true },
  })
}
