// SPDX-License-Identifier: Apache-2.0
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { OpenApiDocument } from './openapi/document.ts'

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
