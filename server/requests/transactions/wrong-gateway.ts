// SPDX-License-Identifier: Apache-2.0
import { ServerError } from '../../errors/server-error.ts'

/** The transaction is open in another server, at this address; empty where it has not said where it is. */
export class WrongGateway extends ServerError {
  readonly transaction: string
  readonly url: string

  /** `reason` says why the request was not handed on, where that was tried. */
  constructor(transaction: string, url: string, reason?: string) {
    const there = url === '' ? '' : `: ${url}`
    const why = reason === undefined ? '' : ` It could not be handed on there: ${reason}.`
    super(
      'wrong_gateway',
      `Another server has the transaction open${there}.${why} Send its requests there.`,
      { transaction, ...(url === '' ? {} : { url }), ...(reason === undefined ? {} : { reason }) },
    )
    this.transaction = transaction
    this.url = url
  }
}
