// SPDX-License-Identifier: Apache-2.0
import type { OpenApiDocument } from '../../server/doors/http/openapi/document.ts'
import {
  type ClientFrameType,
  FRAME_DECLARATIONS,
} from '../../server/doors/websocket/client-frame.ts'
import { type WorstBody, worstJson } from './worst-bodies.ts'
import { WORST_BYTES } from './worst-texts.ts'

const FRAME_FIELDS = [
  'table',
  'keys',
  'observer',
  'workers',
  'leaseMs',
  'notification',
  'error',
  'since',
  'token',
  'id',
]

/** The worst frames of one type: bodies of a request that does the same, and each field of any frame. */
export function* worstFrames(
  document: OpenApiDocument,
  type: ClientFrameType,
): Generator<WorstBody> {
  const head = `{"type":${JSON.stringify(type)},"id":"worst",`
  const { budget } = FRAME_DECLARATIONS[type]
  const takesStatements = budget === 'statement' || budget === 'subscription'
  const schema = takesStatements ? 'SqlRequest' : 'OpenTransactionRequest'
  for (const { name, bytes } of worstJson(document, `#/components/schemas/${schema}`)) {
    const text = bytes.toString('latin1')
    const isObject = text.startsWith('{"')
    const frame = isObject ? head + text.slice(1) : `${head}"sql":${text}}`
    yield { name, bytes: Buffer.from(frame, 'latin1') }
  }
  for (const field of FRAME_FIELDS) {
    const text = `${head}"${field}":"${'a'.repeat(WORST_BYTES)}"}`
    yield { name: `a long ${field}`, bytes: Buffer.from(text) }
    const list = `${head}"${field}":[${'0,'.repeat(WORST_BYTES / 2)}0]}`
    yield { name: `a list as ${field}`, bytes: Buffer.from(list) }
  }
}
