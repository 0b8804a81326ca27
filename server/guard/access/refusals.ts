// SPDX-License-Identifier: Apache-2.0
import { type Timestamp, timeText } from '../../../storage/storage.ts'
import { ServerError } from '../../errors/server-error.ts'

/** One text for all reasons: nobody learns which part of a token is right. */
export function unauthenticated(): ServerError {
  return new ServerError(
    'unauthenticated',
    'This needs a valid token, in one header: Authorization: Bearer pct_….',
  )
}

export function expired({ expires }: { readonly expires: Timestamp }): ServerError {
  return new ServerError('token_expired', 'The token has expired.', {
    expiredAt: timeText(expires),
  })
}
