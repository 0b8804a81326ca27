// SPDX-License-Identifier: Apache-2.0
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { ServerError } from '../../errors/server-error.ts'
import type { ClientKey } from '../budgets/client-key.ts'

/**
 * A request that a gateway hands on to the one that has its transaction open says whose it is, and that it is not to be
 * handed on again:
 *
 *     Percolite-Gateway: 1 1793000000000000.8f14e45f 192.0.2.1 mJ0h…   version, transaction, client, signature
 *
 * The signature is by a secret in the store, which only its gateways know. It is of this method, path, token and
 * transaction alone, so who has seen one can do with it what the request did, and no more.
 */
export const GATEWAY_HEADER = 'percolite-gateway'

const VERSION = '1'

/** What of a request is signed. */
export type SignedRequest = {
  readonly method: string
  /** As it is sent: path and query. */
  readonly target: string
  readonly authorization: string | undefined
}

export type ForwardOrigin = {
  readonly transaction: string
  /** Whose address counts where there is no token, and is in the audit log. */
  readonly client: ClientKey
}

export function signedForward(
  secret: Uint8Array,
  { transaction, client }: ForwardOrigin,
  request: SignedRequest,
): string {
  const said = `${VERSION} ${transaction} ${client}`
  return `${said} ${signatureOf(secret, said, request).toString('base64url')}`
}

/** Throws ServerError `invalid_request` for what no gateway of this store has signed. */
export function readForward(
  secret: Uint8Array,
  header: string,
  request: SignedRequest,
): ForwardOrigin {
  const [version, transaction = '', address = '', signature = ''] = header.split(' ')
  const expected = signatureOf(secret, `${version} ${transaction} ${address}`, request)
  const given = Buffer.from(signature, 'base64url')
  const isSigned = given.length === expected.length && timingSafeEqual(given, expected)
  if (version !== VERSION || !isSigned) throw notSigned()
  return { transaction, client: address as ClientKey }
}

function signatureOf(secret: Uint8Array, said: string, request: SignedRequest): Buffer {
  const { method, target, authorization = '' } = request
  const token = createHash('sha256').update(authorization).digest('hex')
  const signed = JSON.stringify([said, method, target, token])
  return createHmac('sha256', secret).update(signed).digest()
}

function notSigned(): ServerError {
  return new ServerError(
    'invalid_request',
    'The header Percolite-Gateway is of gateways, and this one was not signed by one of this store.',
    { parameter: 'Percolite-Gateway', in: 'header', hint: 'send the request without it' },
  )
}
