// SPDX-License-Identifier: Apache-2.0
import type { ProtocolContext } from './protocol-context.ts'
import type { CommitRequest, TransactionProtocol } from './transaction-protocol.ts'

/** The same protocol, which reports how long each of its commits took. */
export function timedProtocol(
  protocol: TransactionProtocol,
  { clock, measures }: Pick<ProtocolContext, 'clock' | 'measures'>,
): TransactionProtocol {
  return {
    ...protocol,
    async commit(request: CommitRequest) {
      const beganMs = clock.monotonicMs()
      const outcome = await protocol.commit(request)
      measures.commitTook(clock.monotonicMs() - beganMs)
      return outcome
    },
  }
}
