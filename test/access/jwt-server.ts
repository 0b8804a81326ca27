// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { TokenServer } from '../server/token-server.ts'
import { JwtIssuer } from './jwt-issuer.ts'

/** A server that takes the tokens of an issuer, and a role for them that sees its own notes. */
export async function jwtServer(t: TestContext) {
  let tokens: TokenServer | undefined
  const issuer = await JwtIssuer.create(t, () => (tokens?.clock.wallMicros() ?? 0) / 1_000)
  tokens = await TokenServer.startGuarded(t, issuer.flags)
  const admin = tokens.as(tokens.token)
  for (const sql of [
    'CREATE TABLE note (owner TEXT, id INTEGER, text TEXT, PRIMARY KEY (owner, id))',
    'CREATE ROLE member FOR JWT',
    'CREATE ROLE service',
    'GRANT READ, WRITE ON note TO member WHERE owner = token.sub',
    'GRANT READ ON note TO service',
    "INSERT INTO note (owner, id, text) VALUES ('ann', 1, 'a'), ('bob', 1, 'b')",
  ]) {
    const { status, text } = await admin.query(sql)
    assert.equal(status, 200, text)
  }
  return { issuer, tokens, admin, clock: tokens.clock, server: tokens.server.server }
}
