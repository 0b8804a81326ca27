// SPDX-License-Identifier: Apache-2.0
import { Webhook } from 'standardwebhooks'
import { type Timestamp, timeText } from '../../../storage/storage.ts'
import type { AccessRelay, RelayPart } from '../../../storage/tables/access/access.ts'
import type { PartRows } from './relay-rows.ts'

/** What the receiver gets: a commit, a snapshot, or a part of one. */
export type RelayMessage = {
  /** Of this part: the same whenever it is sent. */
  readonly id: string
  readonly body: string
}

/**
 * Its id is that of the commit in the first part, and has the number of the part in the others: receivers know messages
 * by their ids, and would take parts of one id for the same message.
 *
 *     k3j…-1795705461084001      a commit, or its first part; `data.id` of all its parts
 *     k3j…-1795705461084001.2    its second part
 */
export function relayMessage(
  { id: relayId, name }: AccessRelay,
  { kind, at, part }: Pick<RelayPart, 'kind' | 'at' | 'part'>,
  { changes, isLast }: Pick<PartRows, 'changes' | 'isLast'>,
): RelayMessage {
  const commitId = `${relayId}-${at}${kind === 'snapshot' ? '-snapshot' : ''}`
  const facts = { id: commitId, relay: name, commitTimestamp: at, part, last: isLast }
  const data = `${JSON.stringify(facts).slice(0, -1)},"changes":[${changes}]}`
  const body = `{"type":"${kind}","timestamp":"${timeText(at)}","data":${data}}`
  return { id: part === 1 ? commitId : `${commitId}.${part}`, body }
}

/**
 * The headers of Standard Webhooks: the id, the time of this try, and a signature by each secret that counts at `now`.
 */
export function signedHeaders(
  { id, body }: RelayMessage,
  { secret, former }: Pick<AccessRelay, 'secret' | 'former'>,
  now: Timestamp,
): Record<string, string> {
  const time = new Date(now / 1_000)
  const secrets = former !== undefined && former.until > now ? [secret, former.secret] : [secret]
  const signatures = secrets.map((each) => new Webhook(each).sign(id, time, body))
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
    'webhook-signature': signatures.join(' '),
  }
}

/** As Standard Webhooks writes it: 256 bits in base64. */
export function secretText(bytes: Uint8Array): string {
  return `whsec_${Buffer.from(bytes).toString('base64')}`
}
