// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { AnswerBody } from '../server/test-server.ts'
import { TokenServer } from '../server/token-server.ts'
import { testFolder } from '../test-folder.ts'
import type { JwtIssuer } from './jwt-issuer.ts'

type Started = NonNullable<Parameters<typeof TokenServer.start>[1]>

/** A line of the audit log as tests look into it. */
export type AuditLine = AnswerBody

/** A server with an audit log in a file, and its administrator. `issuer` is that of JWTs that it takes as well. */
export async function auditedServer(
  t: TestContext,
  { issuer, ...more }: Started & { readonly issuer?: Pick<JwtIssuer, 'flags'> } = {},
) {
  const path = join(await testFolder(t, 'audit'), 'audit.log')
  const flags = { ...more.flags, audit: path, ...issuer?.flags }
  const tokens =
    issuer === undefined
      ? await TokenServer.start(t, { ...more, flags })
      : await TokenServer.startGuarded(t, flags, more.deps)
  await tokens.server.listen()
  const admin = tokens.as(tokens.token)
  const text = () => readFileSync(path, 'utf8')
  /** All events of the server, which ends. */
  const events = async (): Promise<AuditLine[]> => {
    await tokens.server.server.close()
    return linesOf(text())
  }
  return { tokens, admin, path, text, events }
}

/** Each line has to be JSON. */
export function linesOf(text: string): AuditLine[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}
