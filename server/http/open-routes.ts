// SPDX-License-Identifier: Apache-2.0
import type { FastifyRequest } from 'fastify'
import type { Operation } from './openapi/document.ts'

/** Pages that are no operations. */
const PAGES = /^\/(?:docs(?:\/|$)|openapi\.|favicon\.|$)/

/**
 * Whether no token is asked for: operations whose right is `none`, the documentation, and the handshake of a browser,
 * which cannot send a header and shows its token in the first frame.
 */
export function isOpenToAll(
  { raw, routeOptions }: FastifyRequest,
  operations: readonly Operation[],
): boolean {
  const { url = '' } = routeOptions
  const id = routeOptions.config?.operationId
  if (id === undefined) return url !== '' && PAGES.test(url)
  const { upgrade, authorization } = raw.headers
  if (id === 'openSocket') return upgrade !== undefined && authorization === undefined
  return operations.find((operation) => operation.id === id)?.declaration.right === 'none'
}
