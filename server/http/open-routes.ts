// SPDX-License-Identifier: Apache-2.0
import type { FastifyRequest } from 'fastify'
import type { Operation } from './openapi/document.ts'

/** Pages that are no operations. */
const PAGES = /^\/(?:docs(?:\/|$)|openapi\.|favicon\.|$)/

/**
 * Tells whether no token is asked for: by operations whose right is `none`, the documentation, and the handshake of a
 * browser, which cannot send a header and shows its token in the first frame.
 */
export function openRoutes(operations: readonly Operation[]): (request: FastifyRequest) => boolean {
  const open = new Set(
    operations.filter(({ declaration }) => declaration.right === 'none').map(({ id }) => id),
  )
  return ({ raw, routeOptions }) => {
    const { url = '', config } = routeOptions
    const id = config?.operationId
    if (id === undefined) return url !== '' && PAGES.test(url)
    const { upgrade, authorization } = raw.headers
    if (id === 'openSocket') return upgrade !== undefined && authorization === undefined
    return open.has(id)
  }
}
